#include "passes/analysis/LaneShapes.h"
#include "base/abi/KernelAbi.h"
#include "dialects/ocl/Ocl.h"
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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
                       bool assumeOneTile)
    : region_(region), lanes_(lanes), layout_(layout),
      rowDimension_(cast<wg::ParallelOp>(region.getParentOp()).rowDimension()), assumeIdsFit31Bits_(assumeIdsFit31Bits),
      assumeOneTile_(assumeOneTile) {
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
    for (auto [init, argument] : llvm::zip(loop.getInits(), loop.getBeforeArguments()))
      join(argument, of(init));
    visit(*loop.getBeforeBody());
    scf::ConditionOp condition = loop.getConditionOp();
    bool isConverged = isUniform(condition.getCondition());
    for (auto [value, argument, result] : llvm::zip(condition.getArgs(), loop.getAfterArguments(), loop.getResults())) {
      leave(op, argument, of(value));
      leave(op, result, isConverged ? of(value) : LaneShape::varying());
    }
    visit(*loop.getAfterBody());
    for (auto [value, argument] : llvm::zip(loop.getYieldOp().getOperands(), loop.getBeforeArguments()))
      leave(op, argument, of(value));
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
  } else {
    return assumeOneTile_ && isDivRemOrMask(op) ? ofDivRemOrMask(op) : LaneShape::varying();
  }
  if (!isKnown)
    return LaneShape::varying();
  setNoWrapIfFits(shape, bits);
  return shape;
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
         !llvm::is_contained(wide.guards_, op);
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
  shape.guards_.push_back(op);
  return shape.guards_.size() <= MaxGuards ? shape : LaneShape::varying();
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
      return LaneShape::varying();                             // some step wraps around for every lane 0
    if (!cannotWrap && !llvm::is_contained(shape.guards_, op)) // in addition to the operand's guards
      shape.guards_.push_back(op);
    if (shape.guards_.size() > MaxGuards)
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
  if (!llvm::is_contained(shape.guards_, check.getOperation()))
    shape.guards_.push_back(check);
  return shape.guards_.size() <= MaxGuards ? shape : LaneShape::varying();
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
