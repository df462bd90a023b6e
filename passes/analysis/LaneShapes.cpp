#include "passes/analysis/LaneShapes.h"
#include "base/abi/KernelAbi.h"
#include "dialects/ocl/Ocl.h"
#include "dialects/wg/Wg.h"
#include "passes/analysis/Conjuncts.h"
#include "passes/analysis/Constants.h"
#include "passes/analysis/LinearRows.h"
#include "passes/analysis/SlotStride.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned MaxGuards = 4;
constexpr int64_t MaxStride = 1 << 30;

uint64_t largest(unsigned bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }

unsigned bitsOf(Type type) {
  if (isa<IndexType>(type))
    return 64;
  return type.isSignlessInteger() ? type.getIntOrFloatBitWidth() : 0;
}

} // namespace

bool LaneShape::addGuards(const LaneShape &other) {
  for (Operation *guard : other.guards_)
    if (!llvm::is_contained(guards_, guard))
      guards_.push_back(guard);
  return guards_.size() <= MaxGuards;
}

bool isDivRemOrMask(Operation *op) {
  return isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp, arith::ShRUIOp, arith::ShRSIOp,
             arith::AndIOp>(op);
}

LaneShapes::LaneShapes(Region &region, unsigned lanes, const DataLayout &layout, bool assumeIdsFit31Bits,
                       Optimism optimism)
    : region_(region), lanes_(lanes), layout_(layout),
      rowDimension_(cast<wg::ParallelOp>(region.getParentOp()).rowDimension()), assumeIdsFit31Bits_(assumeIdsFit31Bits),
      optimism_(std::move(optimism)) {
  do {
    changed_ = false;
    visit(region_.front());
  } while (changed_);
}

LaneShape LaneShapes::of(Value value) const {
  if (!region_.isAncestor(value.getParentRegion())) {
    if (auto number = constantOf(value); number && *number >= 0)
      return LaneShape::uniform(uint64_t(*number));
    return LaneShape::uniform();
  }
  return shapes_.lookup(value);
}

// Makes `op` a guard of the shape, unless it is checked early. Returns false if there are then more than MaxGuards.
bool LaneShapes::addGuard(LaneShape &shape, Operation *op) {
  if (optimism_.checkedEarly.contains(op))
    usedEarly_.insert(op);
  else if (!llvm::is_contained(shape.guards_, op))
    shape.guards_.push_back(op);
  return shape.guards_.size() <= MaxGuards;
}

// An operation on whose guard a shape rested may vary in the end.
bool LaneShapes::isCheckedEarly(Operation *op) const {
  return usedEarly_.contains(op) && of(op->getResult(0)).isStrided();
}

SmallVector<Operation *> LaneShapes::checkedEarly() const {
  SmallVector<Operation *> found;
  for (Operation *op : usedEarly_)
    if (isCheckedEarly(op))
      found.push_back(op);
  return found;
}

// Counts values that are strided without guards, values whose comparisons the end lanes decide, and 64-bit values that
// fit 31 bits and are converted to floating point.
unsigned LaneShapes::precision() const {
  auto isSigned = [](Operation *user) {
    auto comparison = dyn_cast<arith::CmpIOp>(user);
    return comparison && comparison.getPredicate() >= arith::CmpIPredicate::slt &&
           comparison.getPredicate() <= arith::CmpIPredicate::sge;
  };
  unsigned count = 0;
  for (auto &[value, shape] : shapes_) {
    count += shape.isStrided() && shape.guards_.empty();
    // Among uses of 64-bit values, only signed comparisons need the absence of signed wrap.
    const bool needsSigned = !value.getType().isInteger(64) || llvm::any_of(value.getUsers(), isSigned);
    count += shape.isStrided() && shape.info_.stride && shape.info_.noUnsignedWrap &&
             (shape.info_.noSignedWrap || !needsSigned);
    count +=
        value.getType().isInteger(64) && !shape.isUniform() && shape.max_ <= largest(31) &&
        llvm::any_of(value.getUsers(), [](Operation *user) { return isa<arith::UIToFPOp, arith::SIToFPOp>(user); });
  }
  return count;
}

void LaneShapes::join(Value value, const LaneShape &shape) {
  LaneShape &known = shapes_[value];
  LaneShape old = known;
  if (shape.kind_ == LaneShape::Unreached || known.kind_ == LaneShape::Varying)
    return;
  if (known.kind_ == LaneShape::Unreached) {
    known = shape;
  } else if (shape.kind_ == LaneShape::Varying || known.info_.stride != shape.info_.stride ||
             known.guards_ != shape.guards_) {
    known = LaneShape::varying();
  } else {
    known.info_.noSignedWrap &= shape.info_.noSignedWrap, known.info_.noUnsignedWrap &= shape.info_.noUnsignedWrap;
    if (shape.max_ > known.max_)
      known.max_ = ~uint64_t(0); // a growing maximum would not converge otherwise
  }
  changed_ |= !(known == old);
}

// Joins the shape of a value that leaves a region of `owner`. A guard inside the region is computed anew in every
// iteration and is not visible outside, so code outside cannot check it.
void LaneShapes::leave(Operation *owner, Value value, LaneShape shape) {
  const bool isCheckable =
      llvm::none_of(shape.guards_, [&](Operation *guard) { return owner->isProperAncestor(guard); });
  join(value, isCheckable ? shape : LaneShape::varying());
}

void LaneShapes::visit(Block &block) {
  for (Operation &op : block.without_terminator())
    visit(&op);
}

void LaneShapes::visit(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    bool isConverged = isUniform(branch.getCondition());
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
      if (region->empty())
        continue;
      visit(region->front());
      for (auto [value, result] : llvm::zip(region->front().getTerminator()->getOperands(), branch.getResults()))
        leave(op, result, isConverged ? of(value) : LaneShape::varying());
    }
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [index, argument] : llvm::enumerate(loop.getBeforeArguments())) {
      LaneShape shape = of(loop.getInits()[index]);
      if (const auto max = counterMax(loop, unsigned(index)))
        shape.max_ = std::max(shape.max_, *max); // a join does not raise a maximum step by step
      join(argument, shape);
    }
    visit(*loop.getBeforeBody());
    scf::ConditionOp condition = loop.getConditionOp();
    bool isConverged = isUniform(condition.getCondition());
    for (auto [value, argument, result] : llvm::zip(condition.getArgs(), loop.getAfterArguments(), loop.getResults())) {
      leave(op, argument, of(value));
      leave(op, result, isConverged ? of(value) : LaneShape::varying());
    }
    visit(*loop.getAfterBody());
    for (auto [index, argument] : llvm::enumerate(loop.getBeforeArguments())) {
      LaneShape shape = of(loop.getYieldOp().getOperand(unsigned(index)));
      if (const auto max = counterMax(loop, unsigned(index)); max && shape.isStrided()) {
        shape.max_ = std::min(shape.max_, *max);
        setNoWrapIfFits(shape, bitsOf(argument.getType()));
      }
      leave(op, argument, shape);
    }
  } else {
    LaneShape shape = transfer(op);
    for (Value result : op->getResults()) {
      // The guards may have grown since the last visit.
      if (LaneShape &known = shapes_[result]; known.kind_ == LaneShape::Strided && shape.kind_ == LaneShape::Strided) {
        const size_t before = known.guards_.size();
        if (!shape.addGuards(known))
          shape = LaneShape::varying();
        else
          known.guards_ = shape.guards_;
        changed_ |= known.guards_.size() != before;
      }
      join(result, shape);
    }
  }
}

// Sets both no-wrap flags if every lane is in [0, 2^(bits-1)): then no step wraps around, signed or unsigned.
void LaneShapes::setNoWrapIfFits(LaneShape &shape, unsigned bits) const {
  uint64_t span = uint64_t(std::abs(shape.info_.stride)) * (lanes_ - 1);
  if (bits && shape.max_ <= largest(bits - 1) && span <= largest(bits - 1))
    shape.info_.noSignedWrap = shape.info_.noUnsignedWrap = true;
}

LaneShape LaneShapes::transfer(Operation *op) {
  if (isa<ocl::QueryOp, ocl::LinearQueryOp, wg::AddressOp>(op))
    return ofQuery(op);
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return ofExtension(op);
  if (isa<LLVM::GEPOp, LLVM::AddrSpaceCastOp, LLVM::PtrToIntOp, LLVM::IntToPtrOp, LLVM::AllocaOp>(op))
    return ofAddress(op);
  if (auto check = dyn_cast<ocl::CheckAccessOp>(op))
    return ofCheck(check);
  bool reads = isa<wg::ReadOp>(op);
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    reads = !load.getVolatile_() && load.getOrdering() == LLVM::AtomicOrdering::not_atomic;
    if (!reads)
      return LaneShape::varying();
  }
  if (!reads && (op->getNumRegions() || !isMemoryEffectFree(op)))
    return LaneShape::varying();
  bool allUniform = true;
  for (Value operand : op->getOperands()) {
    LaneShape shape = of(operand);
    if (shape.kind_ == LaneShape::Unreached)
      return {};
    allUniform &= shape.isUniform();
  }
  if (op->getNumResults() == 1 && bitsOf(op->getResult(0).getType()))
    return ofArithmetic(op);
  if (auto select = dyn_cast<arith::SelectOp>(op); select && !allUniform && isUniform(select.getCondition())) {
    LaneShape a = of(select.getTrueValue()), b = of(select.getFalseValue());
    if (a.isStrided() && b.isStrided() && a.info_.stride == b.info_.stride && a.guards_ == b.guards_)
      return a;
  }
  return allUniform ? LaneShape::uniform() : LaneShape::varying();
}

LaneShape LaneShapes::ofQuery(Operation *op) {
  LaneShape shape = LaneShape::uniform();
  constexpr uint64_t IdsBelow = uint64_t(1) << 31;
  const bool isLinear = hasLinearRows(cast<wg::ParallelOp>(region_.getParentOp()));
  if (!isLinear && isa<wg::AddressOp>(op))
    return LaneShape::varying();
  if (auto address = dyn_cast<wg::AddressOp>(op)) {
    shape.info_.stride = int64_t(slotStride(layout_, cast<wg::SlotType>(address.getSlot().getType()).getElement()));
    return shape;
  }
  auto setMax = [&](uint64_t max, bool ofLaunch) {
    if (ofLaunch && !assumeIdsFit31Bits_)
      max = ~uint64_t(0);
    unsigned bits = bitsOf(op->getResult(0).getType());
    shape.info_.noSignedWrap = shape.info_.noUnsignedWrap = bits == 64 || shape.info_.stride == 0;
    // The global offset may push global ids past 2^63 - 1. Linear ids have no offset.
    shape.info_.noSignedWrap &= !ofLaunch || shape.info_.stride == 0;
    shape.max_ = std::min(max, largest(bits));
    setNoWrapIfFits(shape, bits);
  };
  const uint64_t groupItems = abi::MaxCpuGroupSize;
  if (auto query = dyn_cast<ocl::QueryOp>(op)) {
    auto dim = constantOf(query.getDim());
    bool isId = query.getKind() == ocl::Query::global_id || query.getKind() == ocl::Query::local_id;
    if (!dim && (isId || !isUniform(query.getDim())))
      return LaneShape::varying();
    shape.info_.stride = isId && *dim == rowDimension_;
    bool isLocal = query.getKind() == ocl::Query::local_id || query.getKind() == ocl::Query::local_size ||
                   query.getKind() == ocl::Query::enqueued_local_size;
    setMax(isLocal ? groupItems : IdsBelow - 1, !isLocal);
    return shape;
  }
  switch (cast<ocl::LinearQueryOp>(op).getKind()) {
  case ocl::LinearQuery::global_linear_id:
    if (rowDimension_ != 0)
      return LaneShape::varying();
    shape.info_.stride = 1;
    setMax(~uint64_t(0), false); // the product of three dimensions may exceed 31 bits
    return shape;
  case ocl::LinearQuery::local_linear_id:
    if (!isLinear)
      return LaneShape::varying();
    shape.info_.stride = 1;
    setMax(groupItems, false);
    return shape;
  case ocl::LinearQuery::sub_group_size:
  case ocl::LinearQuery::sub_group_id:
  case ocl::LinearQuery::sub_group_local_id:
    return LaneShape::varying();
  default:
    setMax(groupItems, false);
    return shape;
  }
}

LaneShape LaneShapes::ofArithmetic(Operation *op) {
  unsigned bits = bitsOf(op->getResult(0).getType());
  SmallVector<LaneShape, 3> in;
  bool allUniform = true;
  for (Value operand : op->getOperands()) {
    in.push_back(of(operand));
    allUniform &= in.back().isUniform();
  }
  LaneShape shape = LaneShape::uniform(largest(bits));
  auto limit = [&](uint64_t max) { shape.max_ = std::min(shape.max_, max); };
  auto overflow = arith::IntegerOverflowFlags::none;
  if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    overflow = flags.getOverflowAttr().getValue();
  bool keepsSigned = bitEnumContainsAll(overflow, arith::IntegerOverflowFlags::nsw);
  bool keepsUnsigned = bitEnumContainsAll(overflow, arith::IntegerOverflowFlags::nuw);
  bool isKnown = true;
  // If a lane's result may wrap around, only a no-wrap flag excludes it.
  auto setWrap = [&](uint64_t max) {
    bool mayWrap = max >= largest(bits);
    shape.max_ = std::min(max, largest(bits));
    shape.info_.noSignedWrap &= keepsSigned, shape.info_.noUnsignedWrap &= keepsUnsigned || !mayWrap;
    if (shape.info_.stride == 0)
      shape.info_.noSignedWrap = shape.info_.noUnsignedWrap = true;
  };
  auto factor = [&](int64_t by) {
    keepsUnsigned &= by >= 0; // read as an unsigned number, a negative factor gives another stride
    shape = in[0];
    if (__builtin_mul_overflow(in[0].info_.stride, by, &shape.info_.stride) || std::abs(shape.info_.stride) > MaxStride)
      isKnown = false;
    setWrap(by > 0 ? llvm::SaturatingMultiply(in[0].max_, uint64_t(by)) : ~uint64_t(0));
  };
  auto sum = [&](bool subtract) {
    shape = in[0];
    shape.info_.stride += subtract ? -in[1].info_.stride : in[1].info_.stride;
    isKnown = in[0].isStrided() && in[1].isStrided() && shape.addGuards(in[1]);
    shape.info_.noSignedWrap &= in[1].info_.noSignedWrap, shape.info_.noUnsignedWrap &= in[1].info_.noUnsignedWrap;
    setWrap(subtract ? ~uint64_t(0) : llvm::SaturatingAdd(in[0].max_, in[1].max_));
  };
  if (isa<arith::AddIOp>(op)) {
    sum(false);
  } else if (isa<arith::SubIOp>(op)) {
    sum(true);
  } else if (isa<arith::MulIOp>(op) && !allUniform && in[0].isStrided() && in[1].isStrided() &&
             in[0].info_.stride == 0 && in[1].info_.stride == 0) {
    isKnown = shape.addGuards(in[0]) && shape.addGuards(in[1]);
    setWrap(llvm::SaturatingMultiply(in[0].max_, in[1].max_));
  } else if (isa<arith::MulIOp>(op) && !allUniform) {
    auto by = constantOf(op->getOperand(1));
    by &&in[0].isStrided() ? factor(*by) : void(isKnown = false);
  } else if (isa<arith::ShLIOp>(op) && !allUniform) {
    auto by = constantOf(op->getOperand(1));
    by && *by >= 0 && *by < 30 && in[0].isStrided() ? factor(int64_t(1) << *by) : void(isKnown = false);
  } else if (const auto choice = optimism_.oneSide ? oneSide(op) : std::nullopt) {
    return ofOneSide(op, *choice);
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    isKnown = in[0].isUniform() && in[1].isStrided() && in[2].isStrided() && in[1].info_.stride == in[2].info_.stride &&
              in[1].guards_ == in[2].guards_;
    shape = in[1];
    shape.max_ = std::max(in[1].max_, in[2].max_);
    shape.info_.noSignedWrap &= in[2].info_.noSignedWrap, shape.info_.noUnsignedWrap &= in[2].info_.noUnsignedWrap;
  } else if (allUniform) {
    if (isa<arith::MulIOp>(op))
      limit(llvm::SaturatingMultiply(in[0].max_, in[1].max_));
    else if (isa<arith::AndIOp, arith::MinUIOp>(op))
      limit(std::min(in[0].max_, in[1].max_));
    else if (isa<arith::MaxUIOp>(op))
      limit(std::max(in[0].max_, in[1].max_));
    else if (isa<arith::DivUIOp, arith::ShRUIOp>(op))
      limit(in[0].max_);
    else if (isa<arith::RemUIOp>(op))
      limit(in[1].max_);
  } else if (isKnownUnequal(op)) {
    limit(1);
  } else if (comparesSteps(op, in)) {
    limit(1);
  } else if (optimism_.oneTile && isDivRemOrMask(op)) {
    return ofDivRemOrMask(op);
  } else {
    return LaneShape::varying();
  }
  if (!isKnown)
    return LaneShape::varying();
  setNoWrapIfFits(shape, bits);
  return shape;
}

// Values that step by the same distance differ by the same number in all lanes, and are in the same order if no lane
// wraps around. Flags do not say that of inactive lanes, and lane 0 decides the comparison.
bool LaneShapes::comparesSteps(Operation *op, ArrayRef<LaneShape> in) const {
  auto comparison = dyn_cast<arith::CmpIOp>(op);
  if (!comparison || !in[0].isStridedAlways() || !in[1].isStridedAlways() || in[0].info_.stride != in[1].info_.stride)
    return false;
  const unsigned bits = bitsOf(comparison.getLhs().getType());
  const uint64_t span = uint64_t(std::abs(in[0].info_.stride)) * (lanes_ - 1);
  return comparison.getPredicate() == arith::CmpIPredicate::eq ||
         comparison.getPredicate() == arith::CmpIPredicate::ne ||
         (bits && std::max({in[0].max_, in[1].max_, span}) <= largest(bits - 1));
}

bool LaneShapes::isKnownUnequal(Operation *op) const {
  auto comparison = dyn_cast<arith::CmpIOp>(op);
  if (!comparison ||
      (comparison.getPredicate() != arith::CmpIPredicate::eq && comparison.getPredicate() != arith::CmpIPredicate::ne))
    return false;
  auto number = constantOf(comparison.getRhs());
  const unsigned bits = bitsOf(comparison.getLhs().getType());
  LaneShape shape = of(comparison.getLhs());
  return number && bits && shape.isStrided() && !shape.isUniform() && (uint64_t(*number) & largest(bits)) > shape.max_;
}

bool LaneShapes::reliesOnNoWrapFlag(Operation *op) const {
  if (!isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return false;
  const unsigned from = bitsOf(op->getOperand(0).getType()), to = bitsOf(op->getResult(0).getType());
  const LaneShape narrow = of(op->getOperand(0)), wide = of(op->getResult(0));
  return to > from && wide.isStrided() && !wide.isUniform() && narrow.max_ > largest(from - 1) &&
         !llvm::is_contained(wide.guards_, op) && !isCheckedEarly(op);
}

// Within one tile the lanes have the same quotient, and the remainder has the dividend's stride. Returns varying for a
// constant divisor whose tiles are smaller than a vector, or smaller than four vectors if the divisor is not a power of
// two: such tiles are not aligned to vectors, and too many vectors would span two of them.
//
// Strides above 16 are not handled. So a vector of 64 lanes spans at most 1009 values, and the constants of the runtime
// check fit every type of at least 16 bits. The check of a signed operation includes that no lane is negative.
LaneShape LaneShapes::ofDivRemOrMask(Operation *op) {
  Value strided = op->getOperand(0), uniform = op->getOperand(1);
  if (isa<arith::AndIOp>(op) && of(strided).isUniform())
    std::swap(strided, uniform);
  LaneShape shape = of(strided);
  const unsigned bits = bitsOf(strided.getType());
  if (!of(uniform).isUniform() || !shape.isStrided() || shape.info_.stride <= 0 || shape.info_.stride > 16 || bits < 16)
    return LaneShape::varying();
  const bool isShift = isa<arith::ShRUIOp, arith::ShRSIOp>(op), isMask = isa<arith::AndIOp>(op);
  const uint64_t room = llvm::PowerOf2Ceil(uint64_t(shape.info_.stride) * (lanes_ - 1) + 1);
  if (auto number = constantOf(uniform)) {
    const auto known = uint64_t(*number);
    const bool fits = isMask    ? (known & (room - 1)) == room - 1
                      : isShift ? known < 63 && (uint64_t(1) << known) >= room
                                : *number > 0 && known >= (llvm::isPowerOf2_64(known) ? room : 4 * room);
    if (!fits)
      return LaneShape::varying();
  }
  if (isMask)
    shape.max_ = std::min(shape.max_, of(uniform).max_);
  else if (!isa<arith::RemUIOp, arith::RemSIOp>(op))
    shape.info_.stride = 0;
  shape.info_.noSignedWrap = shape.info_.noUnsignedWrap = true;
  return addGuard(shape, op) ? shape : LaneShape::varying();
}

// Of a select, the side that is the compared value, or else the one that steps: bounds do not.
std::optional<OneSide> LaneShapes::oneSide(Operation *op) const {
  using Predicate = arith::CmpIPredicate;
  if (op->getNumResults() != 1)
    return {};
  auto type = dyn_cast<IntegerType>(op->getResult(0).getType());
  if (!type || type.getWidth() < 16 || type.getWidth() > 64)
    return {};
  auto steps = [&](Value value) { return of(value).isStrided() && of(value).info_.stride != 0; };
  auto stays = [&](Value value) { return of(value).isStrided() && of(value).info_.stride == 0; };
  OneSide choice;
  if (isa<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(op)) {
    choice.compared = op->getOperand(0), choice.bound = op->getOperand(1);
    if (!steps(choice.compared))
      std::swap(choice.compared, choice.bound);
    choice.predicate = isa<arith::MinSIOp>(op)   ? Predicate::sle
                       : isa<arith::MaxSIOp>(op) ? Predicate::sge
                       : isa<arith::MinUIOp>(op) ? Predicate::ule
                                                 : Predicate::uge;
    choice.taken = choice.compared;
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    auto comparison = select.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!comparison || !isa<IntegerType>(comparison.getLhs().getType()))
      return {};
    choice.compared = comparison.getLhs(), choice.bound = comparison.getRhs();
    choice.predicate = comparison.getPredicate();
    if (!steps(choice.compared)) {
      std::swap(choice.compared, choice.bound);
      constexpr Predicate swapped[] = {Predicate::eq,  Predicate::ne,  Predicate::sgt, Predicate::sge, Predicate::slt,
                                       Predicate::sle, Predicate::ugt, Predicate::uge, Predicate::ult, Predicate::ule};
      choice.predicate = swapped[unsigned(choice.predicate)];
    }
    const Value yes = select.getTrueValue(), no = select.getFalseValue();
    if (!of(yes).isStrided() || !of(no).isStrided())
      return {};
    const bool takesYes = yes == choice.compared || (no != choice.compared && steps(yes) && stays(no));
    if (!takesYes && no != choice.compared && !(steps(no) && stays(yes)))
      return {};
    choice.taken = takesYes ? yes : no;
    if (!takesYes)
      choice.predicate = arith::invertPredicate(choice.predicate);
  } else {
    return {};
  }
  if (!steps(choice.compared) || !stays(choice.bound) || choice.predicate == Predicate::eq)
    return {};
  auto isShort = [&](Value value) {
    const unsigned bits = value.getType().getIntOrFloatBitWidth();
    return bits <= 64 && uint64_t(std::abs(of(value).info_.stride)) * lanes_ <= maxOfOneSide(bits);
  };
  return isShort(choice.compared) && isShort(choice.taken) ? std::optional(choice) : std::nullopt;
}

uint64_t LaneShapes::maxOfOneSide(unsigned bits) { return largest(bits - 2); }

bool LaneShapes::needsRangeCheck(Operation *op) const {
  const LaneShape taken = of(oneSide(op)->taken);
  return taken.max_ > maxOfOneSide(bitsOf(op->getResult(0).getType())) || !taken.info_.noSignedWrap ||
         !taken.info_.noUnsignedWrap;
}

// The check includes that no lane is above maxOfOneSide, which is what indices are: then no step wraps around, and
// neither do sums with small numbers.
LaneShape LaneShapes::ofOneSide(Operation *op, const OneSide &choice) {
  LaneShape shape = of(choice.taken);
  const unsigned bits = bitsOf(op->getResult(0).getType());
  if (!shape.addGuards(of(choice.compared)) || !shape.addGuards(of(choice.bound)) || !addGuard(shape, op))
    return LaneShape::varying();
  shape.info_.noSignedWrap = shape.info_.noUnsignedWrap = true;
  if (optimism_.checkedEarly.contains(op))
    shape.max_ = std::min(shape.max_, maxOfOneSide(bits));
  else
    shape.max_ = largest(bits); // lanes that fail the check may hold any number
  return shape;
}

// A carried number that rises by a constant while it is below a bound, if all lanes leave the loop together: the
// largest number that it holds. Nothing for other values.
//
//   scf.while (%i = %init) { %c = cmpi ule, %i, %bound; condition(%c) %i } do { yield addi %i, 1 }
//
// The counter and its bound step by the same distance and do not wrap around, so lane 0's comparison is that of all
// lanes, also of those that were inactive before the loop.
std::optional<uint64_t> LaneShapes::counterMax(scf::WhileOp loop, unsigned number) const {
  using Predicate = arith::CmpIPredicate;
  const BlockArgument counter = loop.getBeforeArguments()[number];
  auto type = dyn_cast<IntegerType>(counter.getType());
  scf::ConditionOp condition = loop.getConditionOp();
  const LaneShape whole = of(condition.getCondition());
  if (!type || type.getWidth() < 16 || type.getWidth() > 64 ||
      (whole.kind_ != LaneShape::Unreached && !whole.isUniform()))
    return {};
  auto next = loop.getYieldOp().getOperand(number).getDefiningOp<arith::AddIOp>();
  const auto step = next ? constantOf(next.getRhs()) : std::nullopt;
  auto from = next ? dyn_cast<BlockArgument>(next.getLhs()) : BlockArgument();
  if (!step || *step <= 0 || !from || from.getOwner() != loop.getAfterBody() ||
      condition.getArgs()[from.getArgNumber()] != counter)
    return {};
  const uint64_t limit = largest(type.getWidth() - 1);
  const LaneShape init = of(loop.getInits()[number]);
  for (Value side : conjuncts(condition.getCondition())) {
    auto comparison = side.getDefiningOp<arith::CmpIOp>();
    if (!comparison)
      continue;
    const Predicate predicate = comparison.getPredicate();
    const bool rises = predicate == Predicate::slt || predicate == Predicate::sle || predicate == Predicate::ult ||
                       predicate == Predicate::ule;
    const bool falls = predicate == Predicate::sgt || predicate == Predicate::sge || predicate == Predicate::ugt ||
                       predicate == Predicate::uge;
    Value bound = rises ? comparison.getRhs() : comparison.getLhs();
    const Value compared = rises ? comparison.getLhs() : comparison.getRhs();
    if (!(rises || falls) || compared != counter || loop->isAncestor(bound.getParentRegion()->getParentOp()))
      continue;
    const LaneShape end = of(bound);
    if (end.isStridedAlways() && init.isStridedAlways() && end.info_.stride == init.info_.stride &&
        init.max_ <= limit && end.max_ <= limit && uint64_t(*step) <= limit - end.max_)
      return std::max(init.max_, end.max_ + uint64_t(*step));
  }
  return {};
}

// Extensions and truncations. A value that is strided in the narrow type is strided in the wide one only if no step
// wraps.
LaneShape LaneShapes::ofExtension(Operation *op) {
  Value from = op->getOperand(0), to = op->getResult(0);
  LaneShape shape = of(from);
  if (shape.kind_ != LaneShape::Strided)
    return shape;
  unsigned fromBits = bitsOf(from.getType()), toBits = bitsOf(to.getType());
  if (!fromBits || !toBits || fromBits == 1)
    return shape.isUniform() ? LaneShape::uniform() : LaneShape::varying();
  bool isSigned = isa<arith::ExtSIOp, arith::IndexCastOp>(op);
  if (toBits > fromBits) {
    bool cannotWrap = isSigned ? shape.info_.noSignedWrap : shape.info_.noUnsignedWrap;
    if (!cannotWrap && uint64_t(std::abs(shape.info_.stride)) * (lanes_ - 1) > largest(fromBits))
      return LaneShape::varying();           // some step wraps around for every lane 0
    if (!cannotWrap && !addGuard(shape, op)) // in addition to the operand's guards
      return LaneShape::varying();
    bool isPositive = shape.max_ <= largest(fromBits - 1);
    if (isSigned && !isPositive)
      shape.max_ = ~uint64_t(0);
    else
      shape.max_ = std::min(shape.max_, largest(fromBits));
    shape.info_.noSignedWrap = true;
    shape.info_.noUnsignedWrap = !isSigned || isPositive || shape.info_.stride == 0;
  } else if (toBits < fromBits && shape.max_ > largest(toBits - 1)) {
    shape.info_.noSignedWrap = shape.info_.stride == 0;
    shape.info_.noUnsignedWrap =
        shape.info_.stride == 0 || (shape.info_.noUnsignedWrap && shape.max_ <= largest(toBits));
    shape.max_ = std::min(shape.max_, largest(toBits));
    int64_t wrapped = llvm::SignExtend64(uint64_t(shape.info_.stride), toBits);
    if (wrapped != shape.info_.stride)
      return LaneShape::varying();
  }
  setNoWrapIfFits(shape, toBits);
  return shape;
}

// A checked pointer is the pointer if no lane fails the check, and that is a guard unless all lanes check the same.
LaneShape LaneShapes::ofCheck(ocl::CheckAccessOp check) {
  LaneShape shape = of(check.getPointer());
  const LaneShape base = of(check.getBase());
  if (shape.kind_ == LaneShape::Unreached || base.kind_ == LaneShape::Unreached)
    return {};
  if (!shape.isStrided() || !base.isStridedAlways() || !isUniform(check.getSize()) || !isUniform(check.getBytes()))
    return LaneShape::varying();
  if (shape.isUniform() && base.isUniform())
    return shape;
  return addGuard(shape, check) ? shape : LaneShape::varying();
}

LaneShape LaneShapes::ofAddress(Operation *op) {
  if (auto variable = dyn_cast<LLVM::AllocaOp>(op)) {
    LaneShape shape = LaneShape::uniform();
    auto stride = op->getAttrOfType<IntegerAttr>(LaneStrideAttr);
    shape.info_.stride = stride ? stride.getInt() : 0;
    return stride ? shape : LaneShape::varying();
  }
  LaneShape shape = of(op->getOperand(0));
  if (shape.kind_ != LaneShape::Strided)
    return shape;
  shape.info_.noSignedWrap = shape.info_.noUnsignedWrap = true;
  shape.max_ = ~uint64_t(0);
  auto gep = dyn_cast<LLVM::GEPOp>(op);
  if (!gep) {
    Type to = op->getResult(0).getType();
    bool keeps = isa<LLVM::AddrSpaceCastOp>(op) || (isa<LLVM::PtrToIntOp>(op) && bitsOf(to) == 64) ||
                 (isa<LLVM::IntToPtrOp>(op) && bitsOf(op->getOperand(0).getType()) == 64);
    return keeps || shape.isUniform() ? shape : LaneShape::varying();
  }
  // GEP sign-extends indices that are narrower than an address.
  Type element = gep.getElemType();
  bool isFirst = true;
  for (auto index : gep.getIndices()) {
    int64_t size = 0;
    if (isFirst)
      size = int64_t(layout_.getTypeSize(element).getFixedValue());
    else if (auto array = dyn_cast<LLVM::LLVMArrayType>(element))
      element = array.getElementType(), size = int64_t(layout_.getTypeSize(element).getFixedValue());
    else if (auto vector = dyn_cast<VectorType>(element))
      element = vector.getElementType(), size = int64_t(layout_.getTypeSize(element).getFixedValue());
    else if (auto structure = dyn_cast<LLVM::LLVMStructType>(element)) {
      auto number = dyn_cast<IntegerAttr>(index);
      if (!number)
        return LaneShape::varying();
      element = structure.getBody()[number.getInt()];
    } else {
      return LaneShape::varying();
    }
    isFirst = false;
    auto value = dyn_cast<Value>(index);
    if (!value)
      continue;
    LaneShape step = of(value);
    if (step.kind_ != LaneShape::Strided)
      return step;
    if (step.isUniform())
      continue;
    if (unsigned bits = bitsOf(value.getType());
        bits < 64 && (!step.info_.noSignedWrap || step.max_ > largest(bits - 1)))
      return LaneShape::varying();
    if (!shape.addGuards(step))
      return LaneShape::varying();
    int64_t distance;
    if (__builtin_mul_overflow(step.info_.stride, size, &distance) ||
        __builtin_add_overflow(shape.info_.stride, distance, &shape.info_.stride))
      return LaneShape::varying();
  }
  return shape;
}

} // namespace kiln
