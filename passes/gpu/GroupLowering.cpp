#include "passes/gpu/GroupLowering.h"
#include "dialects/ocl/IntConstant.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lowering/Combine.h"

using namespace mlir;

namespace kiln::gpu {
namespace {

using ocl::CombiningKind;
using Predicate = arith::CmpIPredicate;

Value onElements(OpBuilder &b, Location loc, Value value, llvm::function_ref<Value(Value)> function) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return function(value);
  SmallVector<Value> results;
  for (int64_t i = 0; i < vector.getNumElements(); ++i)
    results.push_back(function(vector::ExtractOp::create(b, loc, value, i)));
  return vector::FromElementsOp::create(b, loc, vector, results);
}

Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}
} // namespace

SubGroupBuilder::SubGroupBuilder(OpBuilder &builder, Location loc, const GpuTargetInfo &info, unsigned size,
                                 bool hasReduceInstruction, Lanes lanes)
    : b_(builder), loc_(loc), info_(info), size_(size), hasReduceInstruction_(hasReduceInstruction), lanes_(lanes),
      i32_(builder.getI32Type()), mask_(builder.getIntegerType(size)) {}

// ---- small helpers -------------------------------------------------------------------------------------------------

Value SubGroupBuilder::constant(int64_t value, Type type) {
  return arith::ConstantOp::create(b_, loc_, IntegerAttr::get(type, value));
}

Value SubGroupBuilder::compare(Predicate predicate, Value x, Value y) {
  return arith::CmpIOp::create(b_, loc_, predicate, x, y);
}

Value SubGroupBuilder::select(Value condition, Value yes, Value no) {
  return arith::SelectOp::create(b_, loc_, condition, yes, no);
}

Value SubGroupBuilder::resize(Value value, Type type, bool isSigned) {
  unsigned from = value.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from == to)
    return value;
  if (from > to)
    return arith::TruncIOp::create(b_, loc_, type, value);
  return isSigned ? Value(arith::ExtSIOp::create(b_, loc_, type, value))
                  : Value(arith::ExtUIOp::create(b_, loc_, type, value));
}

// ---- lanes ---------------------------------------------------------------------------------------------------------

Value SubGroupBuilder::laneId() {
  if (!lane_)
    lane_ = ocl::LinearQueryOp::create(b_, loc_, i32_, ocl::LinearQuery::sub_group_local_id);
  return lane_;
}

Value SubGroupBuilder::laneCount() {
  if (lanes_ == Lanes::Full)
    return number(size_);
  return ocl::LinearQueryOp::create(b_, loc_, i32_, ocl::LinearQuery::sub_group_size);
}

/// The lanes that an instruction waits for. Lanes that do not exist count as arrived.
Value SubGroupBuilder::members() {
  if (!members_)
    members_ = lanes_ == Lanes::Active ? info_.activeLanes(b_, loc_, size_) : bits(-1);
  return members_;
}

Value SubGroupBuilder::activeLanes() {
  if (lanes_ != Lanes::Existing)
    return members();
  // laneCount() is at least 1.
  Value absent = resize(arith::SubIOp::create(b_, loc_, number(size_), laneCount()), mask_);
  return arith::ShRUIOp::create(b_, loc_, bits(-1), absent);
}

Value SubGroupBuilder::maskBelow() {
  Value self = arith::ShLIOp::create(b_, loc_, bits(1), resize(laneId(), mask_));
  return arith::SubIOp::create(b_, loc_, self, bits(1));
}

/// The bits of all lanes in this lane's cluster.
Value SubGroupBuilder::clusterMask(unsigned cluster) {
  if (cluster >= size_)
    return bits(-1);
  Value first = arith::AndIOp::create(b_, loc_, laneId(), number(-int64_t(cluster)));
  return arith::ShLIOp::create(b_, loc_, bits((int64_t(1) << cluster) - 1), resize(first, mask_));
}

/// The number of the highest bit; -1 if there is none.
Value SubGroupBuilder::lastOf(Value mask) {
  Value zeros = resize(math::CountLeadingZerosOp::create(b_, loc_, mask), i32_);
  return arith::SubIOp::create(b_, loc_, number(size_ - 1), zeros);
}

Value SubGroupBuilder::firstLane() {
  if (lanes_ != Lanes::Active)
    return number(0);
  Value zeros = LLVM::CountTrailingZerosOp::create(b_, loc_, mask_, members(), /*is_zero_poison=*/true);
  return resize(zeros, i32_); // members() has this lane's bit
}

Value SubGroupBuilder::lastLane() {
  if (lanes_ == Lanes::Active)
    return lastOf(members());
  return arith::SubIOp::create(b_, loc_, laneCount(), number(1));
}

// ---- shuffles and votes --------------------------------------------------------------------------------------------

Value SubGroupBuilder::shuffle(Value value, Value lane, bool isUniform) {
  return onElements(b_, loc_, value, [&](Value element) { return shuffleScalar(element, lane, isUniform); });
}

// In words of 32 bits.
Value SubGroupBuilder::shuffleScalar(Value value, Value lane, bool isUniform) {
  Type type = value.getType();
  unsigned width = type.getIntOrFloatBitWidth(), words = llvm::divideCeil(width, 32);
  Type integer = b_.getIntegerType(width), whole = b_.getIntegerType(words * 32);
  if (isa<FloatType>(type))
    value = arith::BitcastOp::create(b_, loc_, integer, value);
  value = resize(value, whole);
  Value result;
  for (unsigned word = 0; word < words; ++word) {
    Value part = word ? Value(arith::ShRUIOp::create(b_, loc_, value, constant(32 * word, whole))) : value;
    part = resize(part, i32_);
    Value other =
        isUniform ? info_.broadcast(b_, loc_, members(), part, lane) : info_.shuffle(b_, loc_, members(), part, lane);
    other = resize(other, whole);
    if (word)
      other = arith::ShLIOp::create(b_, loc_, other, constant(32 * word, whole));
    result = result ? Value(arith::OrIOp::create(b_, loc_, result, other)) : other;
  }
  result = resize(result, integer);
  return isa<FloatType>(type) ? Value(arith::BitcastOp::create(b_, loc_, type, result)) : result;
}

Value SubGroupBuilder::ballot(Value predicate) { return info_.ballot(b_, loc_, members(), predicate, size_); }

Value SubGroupBuilder::vote(ocl::GroupOperation operation, CombiningKind kind, Value predicate, unsigned cluster) {
  bool isAnd = false, isXor = false;
  switch (kind) { // as a signed number, true is -1
  case CombiningKind::and_:
  case CombiningKind::mul:
  case CombiningKind::umin:
  case CombiningKind::smax:
    isAnd = true;
    break;
  case CombiningKind::xor_:
  case CombiningKind::add:
    isXor = true;
    break;
  default: // or, umax, smin
    break;
  }
  Value mask = operation == ocl::GroupOperation::reduce ? clusterMask(cluster) : maskBelow();
  if (operation == ocl::GroupOperation::inclusive_scan) // lanes up to this one: 2 * below + 1
    mask = arith::OrIOp::create(b_, loc_, arith::ShLIOp::create(b_, loc_, mask, bits(1)), bits(1));
  if (isAnd) // no lane is false
    predicate = arith::XOrIOp::create(b_, loc_, predicate, constant(1, b_.getI1Type()));
  Value votes = arith::AndIOp::create(b_, loc_, ballot(predicate), mask);
  if (isXor)
    return arith::TruncIOp::create(b_, loc_, b_.getI1Type(), Value(math::CtPopOp::create(b_, loc_, votes)));
  return compare(isAnd ? Predicate::eq : Predicate::ne, votes, bits(0));
}

// ---- reductions and scans ------------------------------------------------------------------------------------------

/// Reduces 32 bits, or bitwise any number of them; null if the target has no instruction for it.
Value SubGroupBuilder::reduceByInstruction(CombiningKind kind, Value value) {
  auto integer = dyn_cast<IntegerType>(value.getType());
  bool isBitwise = kind == CombiningKind::and_ || kind == CombiningKind::or_ || kind == CombiningKind::xor_;
  if (!hasReduceInstruction_ || !integer || kind == CombiningKind::mul || (integer.getWidth() > 32 && !isBitwise))
    return {};
  bool isSigned = kind == CombiningKind::smin || kind == CombiningKind::smax;
  if (integer.getWidth() <= 32)
    return resize(info_.reduce(b_, loc_, kind, members(), resize(value, i32_, isSigned)), integer);
  unsigned words = llvm::divideCeil(integer.getWidth(), 32);
  Type whole = b_.getIntegerType(words * 32);
  value = resize(value, whole);
  Value result;
  for (unsigned word = 0; word < words; ++word) {
    Value shift = constant(32 * word, whole);
    Value part = resize(arith::ShRUIOp::create(b_, loc_, value, shift), i32_);
    part = resize(info_.reduce(b_, loc_, kind, members(), part), whole);
    part = arith::ShLIOp::create(b_, loc_, part, shift);
    result = result ? Value(arith::OrIOp::create(b_, loc_, result, part)) : part;
  }
  return resize(result, integer);
}

Value SubGroupBuilder::previousLane(Value mask) { return lastOf(arith::AndIOp::create(b_, loc_, mask, maskBelow())); }

/// Adds the values of the lanes before this one, along the chain `previous`, whose length doubles with each step.
Value SubGroupBuilder::followChain(CombiningKind kind, Value value, Value previous, unsigned length) {
  for (unsigned step = 1; step < length; step *= 2) {
    Value exists = compare(Predicate::sge, previous, number(0));
    value = select(exists, combine(b_, loc_, kind, shuffle(value, previous), value), value);
    if (step * 2 < length)
      previous = select(exists, shuffle(previous, previous), number(-1));
  }
  return value;
}

Value SubGroupBuilder::reduce(CombiningKind kind, Value value, unsigned cluster) {
  cluster = std::min(cluster, size_);
  // Lanes of one instruction name the same members, so it does not reduce clusters.
  if (cluster == size_ && hasReduceInstruction_ && isa<IntegerType>(getElementTypeOrSelf(value.getType()))) {
    bool all = true;
    Value reduced = onElements(b_, loc_, value, [&](Value element) {
      Value result = reduceByInstruction(kind, element);
      all &= bool(result);
      return result ? result : element;
    });
    if (all)
      return reduced;
  }
  Value lane = laneId();
  switch (lanes_) {
  case Lanes::Full: // a butterfly
    for (unsigned step = cluster / 2; step; step /= 2)
      value = combine(b_, loc_, kind, value, shuffle(value, arith::XOrIOp::create(b_, loc_, lane, number(step))));
    return value;
  case Lanes::Existing: { // a tree towards the cluster's first lane; lanes that do not exist add nothing
    Value count = laneCount();
    for (unsigned step = cluster / 2; step; step /= 2) {
      Value other = arith::AddIOp::create(b_, loc_, lane, number(step));
      Value sum = combine(b_, loc_, kind, value, shuffle(value, other));
      value = select(compare(Predicate::ult, other, count), sum, value);
    }
    return shuffle(value, arith::AndIOp::create(b_, loc_, lane, number(-int64_t(cluster))));
  }
  case Lanes::Active: { // a scan, and the result of the last lane
    Value mask = arith::AndIOp::create(b_, loc_, members(), clusterMask(cluster));
    return shuffle(followChain(kind, value, previousLane(mask), cluster), lastOf(mask));
  }
  }
  llvm_unreachable("all lanes are handled");
}

SubGroupBuilder::Scan SubGroupBuilder::scan(CombiningKind kind, Value value) {
  Value identity = identityValue(b_, loc_, kind, value.getType()), lane = laneId();
  if (lanes_ == Lanes::Active) {
    Value previous = previousLane(members());
    Value inclusive = followChain(kind, value, previous, size_);
    Value exists = compare(Predicate::sge, previous, number(0));
    return {inclusive, select(exists, shuffle(inclusive, previous), identity)};
  }
  auto before = [&](Value of, unsigned distance, Value &exists) {
    exists = compare(Predicate::uge, lane, number(distance));
    return shuffle(of, arith::SubIOp::create(b_, loc_, lane, number(distance)));
  };
  Value exists;
  for (unsigned step = 1; step < size_; step *= 2) {
    Value sum = combine(b_, loc_, kind, before(value, step, exists), value);
    value = select(exists, sum, value);
  }
  Value previous = before(value, 1, exists);
  return {value, select(exists, previous, identity)};
}

// ---- work-groups ---------------------------------------------------------------------------------------------------

Value WorkGroupBuilder::query(ocl::LinearQuery kind) {
  return ocl::LinearQueryOp::create(b_, loc_, b_.getI32Type(), kind);
}

Value WorkGroupBuilder::address(Type type, Value index) {
  return LLVM::GEPOp::create(b_, loc_, scratch_.getType(), type, scratch_, ValueRange{index});
}

void WorkGroupBuilder::barrier() {
  ocl::BarrierOp::create(b_, loc_, ocl::Scope::work_group, ocl::Fence::local, ocl::Scope::work_group);
}

void WorkGroupBuilder::storeIf(Value condition, Value value, Value index) {
  auto branch = scf::IfOp::create(b_, loc_, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPoint(branch.thenYield());
  LLVM::StoreOp::create(b_, loc_, value, address(value.getType(), index));
}

/// Combines the first `count` values of the scratch memory.
Value WorkGroupBuilder::combineFirst(CombiningKind kind, Type type, Value count) {
  Value zero = intConstant(b_, loc_, 0, 32), one = intConstant(b_, loc_, 1, 32);
  Value identity = identityValue(b_, loc_, kind, type);
  return scf::ForOp::create(b_, loc_, zero, count, one, ValueRange{identity},
                            [&](OpBuilder &inner, Location, Value index, ValueRange sum) {
                              Value from = LLVM::GEPOp::create(inner, loc_, scratch_.getType(), type, scratch_,
                                                               ValueRange{index});
                              Value next = LLVM::LoadOp::create(inner, loc_, type, from);
                              scf::YieldOp::create(inner, loc_, kiln::combine(inner, loc_, kind, sum.front(), next));
                            })
      .getResult(0);
}

// Each sub-group's result goes through the scratch memory. The second barrier allows its next use.
Value WorkGroupBuilder::combine(ocl::GroupOperation operation, CombiningKind kind, Value value) {
  Type type = value.getType();
  if (getElementTypeOrSelf(type).isInteger(1)) {                    // not a type of memory
    if (kind == CombiningKind::smin || kind == CombiningKind::smax) // true is -1
      kind = kind == CombiningKind::smin ? CombiningKind::or_ : CombiningKind::and_;
    Value wide = arith::ExtUIOp::create(b_, loc_, withElement(type, b_.getI32Type()), value);
    return arith::TruncIOp::create(b_, loc_, type, combine(operation, kind, wide));
  }
  const bool isReduction = operation == ocl::GroupOperation::reduce;
  SubGroupBuilder::Scan scan;
  Value whole, holder; // the sub-group's result, and a lane that has it
  if (isReduction) {
    whole = subGroup_.reduce(kind, value, ~0u);
    holder = subGroup_.firstLane();
  } else {
    scan = subGroup_.scan(kind, value);
    whole = scan.inclusive;
    holder = subGroup_.lastLane();
  }
  Value self = query(ocl::LinearQuery::sub_group_id);
  storeIf(arith::CmpIOp::create(b_, loc_, Predicate::eq, subGroup_.laneId(), holder), whole, self);
  barrier();
  Value result = combineFirst(kind, type, isReduction ? query(ocl::LinearQuery::num_sub_groups) : self);
  barrier();
  if (isReduction)
    return result;
  Value own = operation == ocl::GroupOperation::inclusive_scan ? scan.inclusive : scan.exclusive;
  return kiln::combine(b_, loc_, kind, result, own);
}

Value WorkGroupBuilder::broadcast(Value value, Value item) {
  Type type = value.getType();
  if (getElementTypeOrSelf(type).isInteger(1)) {
    Value wide = arith::ExtUIOp::create(b_, loc_, withElement(type, b_.getI8Type()), value);
    return arith::TruncIOp::create(b_, loc_, type, broadcast(wide, item));
  }
  Value zero = intConstant(b_, loc_, 0, 32);
  Value self = query(ocl::LinearQuery::local_linear_id);
  storeIf(arith::CmpIOp::create(b_, loc_, Predicate::eq, self, item), value, zero);
  barrier();
  Value result = LLVM::LoadOp::create(b_, loc_, type, address(type, zero));
  barrier();
  return result;
}

} // namespace kiln::gpu
