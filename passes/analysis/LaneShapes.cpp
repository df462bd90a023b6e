#include "passes/analysis/LaneShapes.h"
#include "backends/KernelAbi.h"
#include "dialects/ocl/Ocl.h"
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/analysis/Constants.h"
#include "passes/wg/Slots.h"
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

LaneShape uniform(uint64_t max = ~uint64_t(0)) {
  LaneShape shape = LaneShape::of(LaneShape::Strided);
  shape.max = max;
  return shape;
}

/// Takes the guards of both; without room for them it varies.
bool unite(LaneShape &shape, const LaneShape &other) {
  for (Operation *guard : other.guards)
    if (!llvm::is_contained(shape.guards, guard))
      shape.guards.push_back(guard);
  return shape.guards.size() <= MaxGuards;
}

} // namespace

bool isPartition(Operation *op) {
  return isa<arith::DivUIOp, arith::DivSIOp, arith::RemUIOp, arith::RemSIOp, arith::ShRUIOp, arith::ShRSIOp,
             arith::AndIOp>(op);
}

LaneShapes::LaneShapes(Region &region, unsigned lanes, const DataLayout &layout, bool idsFit, bool takesPieces)
    : region_(region), lanes_(lanes), layout_(layout), idsFit_(idsFit), takesPieces_(takesPieces) {
  do {
    changed_ = false;
    visit(region_.front());
  } while (changed_);
}

LaneShape LaneShapes::of(Value value) const {
  if (!region_.isAncestor(value.getParentRegion())) {
    if (auto number = constantOf(value); number && *number >= 0)
      return uniform(uint64_t(*number));
    return uniform();
  }
  return shapes_.lookup(value);
}

// Values that are strided whatever happens, those whose first and last lane answer for all, and numbers that need no 64
// bits.
unsigned LaneShapes::known() const {
  unsigned count = 0;
  for (auto &[value, shape] : shapes_) {
    count += shape.isStrided() && shape.guards.empty();
    count += shape.isStrided() && shape.stride && shape.exactSigned && shape.exactUnsigned;
    count +=
        value.getType().isInteger(64) && !shape.isUniform() && shape.max <= largest(31) &&
        llvm::any_of(value.getUsers(), [](Operation *user) { return isa<arith::UIToFPOp, arith::SIToFPOp>(user); });
  }
  return count;
}

void LaneShapes::join(Value value, LaneShape shape) {
  LaneShape &known = shapes_[value];
  LaneShape old = known;
  if (shape.kind == LaneShape::Unreached || known.kind == LaneShape::Varying)
    return;
  if (known.kind == LaneShape::Unreached) {
    known = shape;
  } else if (shape.kind == LaneShape::Varying || known.stride != shape.stride || known.guards != shape.guards) {
    known = LaneShape::varying();
  } else {
    known.exactSigned &= shape.exactSigned, known.exactUnsigned &= shape.exactUnsigned;
    if (shape.max > known.max)
      known.max = ~uint64_t(0); // one that grows grows on
  }
  changed_ |= !(known == old);
}

void LaneShapes::visit(Block &block) {
  for (Operation &op : block.without_terminator())
    visit(&op);
}

void LaneShapes::visit(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    bool together = isUniform(branch.getCondition());
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
      if (region->empty())
        continue;
      visit(region->front());
      for (auto [value, result] : llvm::zip(region->front().getTerminator()->getOperands(), branch.getResults()))
        join(result, together ? of(value) : LaneShape::varying());
    }
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [init, argument] : llvm::zip(loop.getInits(), loop.getBeforeArguments()))
      join(argument, of(init));
    visit(*loop.getBeforeBody());
    scf::ConditionOp condition = loop.getConditionOp();
    bool together = isUniform(condition.getCondition());
    for (auto [value, argument, result] : llvm::zip(condition.getArgs(), loop.getAfterArguments(), loop.getResults())) {
      join(argument, of(value));
      join(result, together ? of(value) : LaneShape::varying());
    }
    visit(*loop.getAfterBody());
    for (auto [value, argument] : llvm::zip(loop.getYieldOp().getOperands(), loop.getBeforeArguments()))
      join(argument, of(value));
  } else {
    LaneShape shape = transfer(op);
    for (Value result : op->getResults()) {
      // What it rests on may have become more since it was looked at last.
      if (LaneShape &known = shapes_[result]; known.kind == LaneShape::Strided && shape.kind == LaneShape::Strided) {
        const size_t before = known.guards.size();
        if (!unite(shape, known))
          shape = LaneShape::varying();
        else
          known.guards = shape.guards;
        changed_ |= known.guards.size() != before;
      }
      join(result, shape);
    }
  }
}

// Is every lane within [0, 2^(bits-1)), so that neither reading of it wraps around on the way.
bool LaneShapes::fits(LaneShape &shape, unsigned bits) const {
  uint64_t span = uint64_t(std::abs(shape.stride)) * (lanes_ - 1);
  bool fits = bits && shape.max <= largest(bits - 1) && span <= largest(bits - 1);
  if (fits)
    shape.exactSigned = shape.exactUnsigned = true;
  return fits;
}

LaneShape LaneShapes::transfer(Operation *op) {
  if (isa<ocl::QueryOp, ocl::LinearQueryOp, wg::AddressOp>(op))
    return ofQuery(op);
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return ofExtension(op);
  if (isa<LLVM::GEPOp, LLVM::AddrSpaceCastOp, LLVM::PtrToIntOp, LLVM::IntToPtrOp, LLVM::AllocaOp>(op))
    return ofAddress(op);
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
    if (shape.kind == LaneShape::Unreached)
      return {};
    allUniform &= shape.isUniform();
  }
  if (op->getNumResults() == 1 && bitsOf(op->getResult(0).getType()))
    return ofArithmetic(op);
  if (auto select = dyn_cast<arith::SelectOp>(op); select && !allUniform && isUniform(select.getCondition())) {
    LaneShape a = of(select.getTrueValue()), b = of(select.getFalseValue());
    if (a.isStrided() && b.isStrided() && a.stride == b.stride && a.guards == b.guards)
      return a;
  }
  return allUniform ? uniform() : LaneShape::varying();
}

LaneShape LaneShapes::ofQuery(Operation *op) {
  LaneShape shape = uniform();
  constexpr uint64_t IdsBelow = uint64_t(1) << 31;
  if (auto address = dyn_cast<wg::AddressOp>(op)) {
    shape.stride = int64_t(slotStride(layout_, cast<wg::SlotType>(address.getSlot().getType()).getElement()));
    return shape;
  }
  auto answer = [&](uint64_t max, bool ofLaunch) {
    if (ofLaunch && !idsFit_)
      max = ~uint64_t(0);
    unsigned bits = bitsOf(op->getResult(0).getType());
    shape.exactSigned = shape.exactUnsigned = bits == 64 || shape.stride == 0;
    shape.max = std::min(max, largest(bits));
    fits(shape, bits);
  };
  const uint64_t groupItems = abi::MaxCpuGroupSize;
  if (auto query = dyn_cast<ocl::QueryOp>(op)) {
    auto dim = constantOf(query.getDim());
    bool isId = query.getKind() == ocl::Query::global_id || query.getKind() == ocl::Query::local_id;
    if (!dim && (isId || !isUniform(query.getDim())))
      return LaneShape::varying();
    shape.stride = isId && *dim == 0;
    bool isLocal = query.getKind() == ocl::Query::local_id || query.getKind() == ocl::Query::local_size ||
                   query.getKind() == ocl::Query::enqueued_local_size;
    answer(isLocal ? groupItems : IdsBelow - 1, !isLocal);
    return shape;
  }
  switch (cast<ocl::LinearQueryOp>(op).getKind()) {
  case ocl::LinearQuery::global_linear_id:
    shape.stride = 1;
    answer(~uint64_t(0), false); // of three dimensions there may be more
    return shape;
  case ocl::LinearQuery::local_linear_id:
    shape.stride = 1;
    answer(groupItems, false);
    return shape;
  case ocl::LinearQuery::sub_group_size:
  case ocl::LinearQuery::sub_group_id:
  case ocl::LinearQuery::sub_group_local_id:
    return LaneShape::varying();
  default:
    answer(groupItems, false);
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
  LaneShape shape = uniform(largest(bits));
  auto limit = [&](uint64_t max) { shape.max = std::min(shape.max, max); };
  auto overflow = arith::IntegerOverflowFlags::none;
  if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    overflow = flags.getOverflowAttr().getValue();
  bool keepsSigned = bitEnumContainsAll(overflow, arith::IntegerOverflowFlags::nsw);
  bool keepsUnsigned = bitEnumContainsAll(overflow, arith::IntegerOverflowFlags::nuw);
  bool isKnown = true;
  // Each lane's result is a number of its own: where one may wrap around, a flag has to say that none does.
  auto conclude = [&](uint64_t max) {
    bool mayWrap = max >= largest(bits);
    shape.max = std::min(max, largest(bits));
    shape.exactSigned &= keepsSigned, shape.exactUnsigned &= keepsUnsigned || !mayWrap;
    if (shape.stride == 0)
      shape.exactSigned = shape.exactUnsigned = true;
  };
  auto factor = [&](int64_t by) {
    shape = in[0];
    if (__builtin_mul_overflow(in[0].stride, by, &shape.stride) || std::abs(shape.stride) > MaxStride)
      isKnown = false;
    conclude(by > 0 ? llvm::SaturatingMultiply(in[0].max, uint64_t(by)) : ~uint64_t(0));
  };
  auto sum = [&](bool subtract) {
    shape = in[0];
    shape.stride += subtract ? -in[1].stride : in[1].stride;
    isKnown = in[0].isStrided() && in[1].isStrided() && unite(shape, in[1]);
    shape.exactSigned &= in[1].exactSigned, shape.exactUnsigned &= in[1].exactUnsigned;
    conclude(subtract ? ~uint64_t(0) : llvm::SaturatingAdd(in[0].max, in[1].max));
  };
  if (isa<arith::AddIOp>(op)) {
    sum(false);
  } else if (isa<arith::SubIOp>(op)) {
    sum(true);
  } else if (isa<arith::MulIOp>(op) && !allUniform && in[0].isStrided() && in[1].isStrided() && in[0].stride == 0 &&
             in[1].stride == 0) {
    isKnown = unite(shape, in[0]) && unite(shape, in[1]);
    conclude(llvm::SaturatingMultiply(in[0].max, in[1].max));
  } else if (isa<arith::MulIOp>(op) && !allUniform) {
    auto by = constantOf(op->getOperand(1));
    by &&in[0].isStrided() ? factor(*by) : void(isKnown = false);
  } else if (isa<arith::ShLIOp>(op) && !allUniform) {
    auto by = constantOf(op->getOperand(1));
    by &&*by >= 0 && *by < 30 && in[0].isStrided() ? factor(int64_t(1) << *by) : void(isKnown = false);
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    isKnown = in[0].isUniform() && in[1].isStrided() && in[2].isStrided() && in[1].stride == in[2].stride &&
              in[1].guards == in[2].guards;
    shape = in[1];
    shape.max = std::max(in[1].max, in[2].max);
    shape.exactSigned &= in[2].exactSigned, shape.exactUnsigned &= in[2].exactUnsigned;
  } else if (allUniform) {
    if (isa<arith::MulIOp>(op))
      limit(llvm::SaturatingMultiply(in[0].max, in[1].max));
    else if (isa<arith::AndIOp, arith::MinUIOp>(op))
      limit(std::min(in[0].max, in[1].max));
    else if (isa<arith::MaxUIOp>(op))
      limit(std::max(in[0].max, in[1].max));
    else if (isa<arith::DivUIOp, arith::ShRUIOp>(op))
      limit(in[0].max);
    else if (isa<arith::RemUIOp>(op))
      limit(in[1].max);
  } else if (neverEqual(op)) {
    limit(1);
  } else {
    return takesPieces_ && isPartition(op) ? ofPartition(op) : LaneShape::varying();
  }
  if (!isKnown)
    return LaneShape::varying();
  fits(shape, bits);
  return shape;
}

bool LaneShapes::neverEqual(Operation *op) const {
  auto comparison = dyn_cast<arith::CmpIOp>(op);
  if (!comparison ||
      (comparison.getPredicate() != arith::CmpIPredicate::eq && comparison.getPredicate() != arith::CmpIPredicate::ne))
    return false;
  auto number = constantOf(comparison.getRhs());
  const unsigned bits = bitsOf(comparison.getLhs().getType());
  LaneShape shape = of(comparison.getLhs());
  return number && bits && shape.isStrided() && !shape.isUniform() && (uint64_t(*number) & largest(bits)) > shape.max;
}

bool LaneShapes::restsOnPromise(Operation *op) const {
  if (!isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return false;
  const unsigned from = bitsOf(op->getOperand(0).getType()), to = bitsOf(op->getResult(0).getType());
  const LaneShape narrow = of(op->getOperand(0)), wide = of(op->getResult(0));
  return to > from && wide.isStrided() && !wide.isUniform() && narrow.max > largest(from - 1) &&
         !llvm::is_contained(wide.guards, op);
}

// Of numbers that rise within one piece: the same quotient, and rests that rise as they do. A constant that cuts
// smaller pieces than a vector, or would do so most of the time, is not worth the question.
LaneShape LaneShapes::ofPartition(Operation *op) {
  Value rising = op->getOperand(0), cut = op->getOperand(1);
  if (isa<arith::AndIOp>(op) && of(rising).isUniform())
    std::swap(rising, cut);
  LaneShape shape = of(rising);
  const unsigned bits = bitsOf(rising.getType());
  if (!of(cut).isUniform() || !shape.isStrided() || shape.stride <= 0 || shape.stride > 16 || bits < 16)
    return LaneShape::varying();
  const bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::ShRSIOp>(op);
  const bool isShift = isa<arith::ShRUIOp, arith::ShRSIOp>(op), isMask = isa<arith::AndIOp>(op);
  if (isSigned && shape.max > largest(bits - 1))
    return LaneShape::varying();
  const uint64_t room = llvm::PowerOf2Ceil(uint64_t(shape.stride) * (lanes_ - 1) + 1);
  if (auto number = constantOf(cut)) {
    const auto known = uint64_t(*number);
    const bool fits = isMask    ? (known & (room - 1)) == room - 1
                      : isShift ? known < 63 && (uint64_t(1) << known) >= room
                                : *number > 0 && known >= (llvm::isPowerOf2_64(known) ? room : 4 * room);
    if (!fits)
      return LaneShape::varying();
  }
  if (isMask)
    shape.max = std::min(shape.max, of(cut).max);
  else if (!isa<arith::RemUIOp, arith::RemSIOp>(op))
    shape.stride = 0;
  shape.exactSigned = shape.exactUnsigned = true;
  shape.guards.push_back(op);
  return shape.guards.size() <= MaxGuards ? shape : LaneShape::varying();
}

// From one width to another: what is strided in the narrow type is strided in the wide one only where no step wraps.
LaneShape LaneShapes::ofExtension(Operation *op) {
  Value from = op->getOperand(0), to = op->getResult(0);
  LaneShape shape = of(from);
  if (shape.kind != LaneShape::Strided)
    return shape;
  unsigned fromBits = bitsOf(from.getType()), toBits = bitsOf(to.getType());
  if (!fromBits || !toBits || fromBits == 1)
    return shape.isUniform() ? uniform() : LaneShape::varying();
  bool isSigned = isa<arith::ExtSIOp, arith::IndexCastOp>(op);
  if (toBits > fromBits) {
    bool exact = isSigned ? shape.exactSigned : shape.exactUnsigned;
    if (!exact && uint64_t(std::abs(shape.stride)) * (lanes_ - 1) > largest(fromBits))
      return LaneShape::varying();                       // some step always wraps around
    if (!exact && !llvm::is_contained(shape.guards, op)) // beside those that the operand rests on
      shape.guards.push_back(op);
    if (shape.guards.size() > MaxGuards)
      return LaneShape::varying();
    bool isPositive = shape.max <= largest(fromBits - 1);
    if (isSigned && !isPositive)
      shape.max = ~uint64_t(0);
    else
      shape.max = std::min(shape.max, largest(fromBits));
    shape.exactSigned = true;
    shape.exactUnsigned = !isSigned || isPositive || shape.stride == 0;
  } else if (toBits < fromBits && shape.max > largest(toBits - 1)) {
    shape.exactSigned = shape.stride == 0;
    shape.exactUnsigned = shape.stride == 0 || (shape.exactUnsigned && shape.max <= largest(toBits));
    shape.max = std::min(shape.max, largest(toBits));
    int64_t wrapped = llvm::SignExtend64(uint64_t(shape.stride), toBits);
    if (wrapped != shape.stride)
      return LaneShape::varying();
  }
  fits(shape, toBits);
  return shape;
}

LaneShape LaneShapes::ofAddress(Operation *op) {
  if (auto variable = dyn_cast<LLVM::AllocaOp>(op)) {
    LaneShape shape = uniform();
    auto stride = op->getAttrOfType<IntegerAttr>(LaneStrideAttr);
    shape.stride = stride ? stride.getInt() : 0;
    return stride ? shape : LaneShape::varying();
  }
  LaneShape shape = of(op->getOperand(0));
  if (shape.kind != LaneShape::Strided)
    return shape;
  shape.exactSigned = shape.exactUnsigned = true;
  shape.max = ~uint64_t(0);
  auto gep = dyn_cast<LLVM::GEPOp>(op);
  if (!gep) {
    Type to = op->getResult(0).getType();
    bool keeps = isa<LLVM::AddrSpaceCastOp>(op) || (isa<LLVM::PtrToIntOp>(op) && bitsOf(to) == 64) ||
                 (isa<LLVM::IntToPtrOp>(op) && bitsOf(op->getOperand(0).getType()) == 64);
    return keeps || shape.isUniform() ? shape : LaneShape::varying();
  }
  // Indices narrower than an address are signed numbers.
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
    if (step.kind != LaneShape::Strided)
      return step;
    if (step.isUniform())
      continue;
    if (unsigned bits = bitsOf(value.getType()); bits < 64 && (!step.exactSigned || step.max > largest(bits - 1)))
      return LaneShape::varying();
    if (!unite(shape, step))
      return LaneShape::varying();
    shape.stride += step.stride * size;
  }
  return shape;
}

} // namespace kiln
