#include "passes/simd/emit/RuntimeChecks.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/simd/emit/VectorBody.h"

using namespace mlir;

namespace kiln {
namespace {

// Checks that no step from a lane to the next wraps around in the narrower type. The guards of the operand need their
// own checks: the extension's shape has them as well.
Value checkNoWrap(VectorBody &body, Operation *extension) {
  VectorBuilder &b = body.builder();
  Value operand = extension->getOperand(0);
  int64_t span = body.shape(operand).strideInfoIfGuardsHold()->stride * int64_t(b.lanes() - 1);
  unsigned bits = operand.getType().getIntOrFloatBitWidth();
  bool isSigned = isa<arith::ExtSIOp, arith::IndexCastOp>(extension);
  APInt low = isSigned ? APInt::getSignedMinValue(bits) : APInt::getZero(bits);
  APInt high = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  APInt distance(bits, uint64_t(span), /*isSigned=*/true, /*implicitTrunc=*/true);
  bool rises = span > 0;
  APInt limit = (rises ? high : low) - distance;
  auto predicate = rises ? (isSigned ? arith::CmpIPredicate::sle : arith::CmpIPredicate::ule)
                         : (isSigned ? arith::CmpIPredicate::sge : arith::CmpIPredicate::uge);
  Value bound = arith::ConstantOp::create(b, b.getIntegerAttr(operand.getType(), limit));
  return arith::CmpIOp::create(b, predicate, body.lane0(operand), bound);
}

// Checks that no step between active lanes wraps around. The first and the last of them decide: their distance fits the
// narrower type, or the extension would vary, so the order of the two turns around if a step wraps.
Value checkNoWrapOfActive(VectorBody &body, Operation *extension, Value mask) {
  VectorBuilder &b = body.builder();
  const Value operand = extension->getOperand(0);
  const Type type = operand.getType();
  const int64_t stride = body.shape(operand).strideInfoIfGuardsHold()->stride;
  const bool isSigned = isa<arith::ExtSIOp, arith::IndexCastOp>(extension);
  auto valueOf = [&](Value lane) -> Value {
    const unsigned bits = type.getIntOrFloatBitWidth();
    if (bits > b.lanes())
      lane = arith::ExtUIOp::create(b, type, lane);
    else if (bits < b.lanes())
      lane = arith::TruncIOp::create(b, type, lane);
    APInt step(bits, uint64_t(stride), /*isSigned=*/true, /*implicitTrunc=*/true);
    Value distance = arith::MulIOp::create(b, lane, arith::ConstantOp::create(b, b.getIntegerAttr(type, step)));
    return arith::AddIOp::create(b, body.lane0(operand), distance);
  };
  const Value active = b.maskBits(mask);
  Value first = math::CountTrailingZerosOp::create(b, active);
  Value last = arith::SubIOp::create(b, intConstant(b, int64_t(b.lanes()) - 1, b.lanes()),
                                     math::CountLeadingZerosOp::create(b, active));
  using Predicate = arith::CmpIPredicate;
  const auto predicate =
      stride > 0 ? (isSigned ? Predicate::sle : Predicate::ule) : (isSigned ? Predicate::sge : Predicate::uge);
  return arith::CmpIOp::create(b, predicate, valueOf(first), valueOf(last));
}

// Checks that the accesses of the first and of the last active lane are in the object. The offsets of the lanes between
// them are between theirs. A difference of strides is far below 2^63, and so is an object's size: no offset that has
// wrapped around is in it.
Value checkRange(VectorBody &body, ocl::CheckAccessOp check, Value mask) {
  VectorBuilder &b = body.builder();
  const Type number = b.getI64Type();
  auto address = [&](Value pointer) { return LLVM::PtrToIntOp::create(b, number, body.lane0(pointer)).getResult(); };
  auto compare = [&](Value a, Value other) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ule, a, other).getResult();
  };
  const int64_t stride = body.shape(check.getPointer()).strideInfoIfGuardsHold()->stride -
                         body.shape(check.getBase()).strideInfo()->stride;
  Value first = arith::SubIOp::create(b, address(check.getPointer()), address(check.getBase())), last;
  const Value size = body.lane0(check.getSize()), bytes = body.lane0(check.getBytes());
  if (stride && !mask) {
    last = arith::AddIOp::create(b, first, intConstant(b, stride * int64_t(b.lanes() - 1), 64));
  } else if (stride) {
    const Value active = b.maskBits(mask), ofLane0 = first;
    auto offsetOf = [&](Value lane) -> Value {
      if (b.lanes() < 64)
        lane = arith::ExtUIOp::create(b, number, lane);
      return arith::AddIOp::create(b, ofLane0, arith::MulIOp::create(b, lane, intConstant(b, stride, 64)));
    };
    last = offsetOf(arith::SubIOp::create(b, intConstant(b, int64_t(b.lanes()) - 1, b.lanes()),
                                          math::CountLeadingZerosOp::create(b, active)));
    first = offsetOf(math::CountTrailingZerosOp::create(b, active));
  }
  const Value limit = arith::SubIOp::create(b, size, bytes);
  Value holds = arith::AndIOp::create(b, compare(bytes, size), compare(first, limit));
  return last ? arith::AndIOp::create(b, holds, compare(last, limit)).getResult() : holds;
}

// Checks that the first and the last lane's value have the same quotient (lie in one tile).
Value checkOneTile(VectorBody &body, Operation *op) {
  VectorBuilder &b = body.builder();
  Value strided = op->getOperand(0), uniform = op->getOperand(1);
  if (body.shape(strided).isUniform())
    std::swap(strided, uniform);
  Type type = strided.getType();
  const StrideInfo info = *body.shape(strided).strideInfoIfGuardsHold();
  const int64_t span = info.stride * int64_t(b.lanes() - 1);
  auto number = [&](int64_t value) { return arith::ConstantOp::create(b, b.getIntegerAttr(type, value)).getResult(); };
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value other) {
    return arith::CmpIOp::create(b, predicate, a, other).getResult();
  };
  auto bitAnd = [&](Value a, Value other) { return arith::AndIOp::create(b, a, other).getResult(); };
  Value x = body.lane0(strided), by = body.lane0(uniform), result = body.lane0(op->getResult(0));
  Value holds;
  auto require = [&](Value condition) { holds = holds ? bitAnd(holds, condition) : condition; };
  if (isa<arith::AndIOp>(op)) { // the span fits in low bits that lane 0 has clear and the mask has set
    Value low = number(int64_t(llvm::PowerOf2Ceil(uint64_t(span) + 1)) - 1);
    require(compare(arith::CmpIPredicate::eq, bitAnd(x, low), number(0)));
    require(compare(arith::CmpIPredicate::eq, bitAnd(by, low), low));
    return holds;
  }
  const bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::ShRSIOp>(op);
  const unsigned bits = type.getIntOrFloatBitWidth();
  const bool mayBeNegative = isSigned && body.shape(strided).max() > llvm::maxUIntN(bits - 1);
  // Under a mask lane 0 may be inactive: no flag covers its value, and it may be negative.
  if (!body.fallback().canFallBack || !info.noUnsignedWrap || mayBeNegative) {
    const APInt max = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
    Value limit = arith::ConstantOp::create(b, b.getIntegerAttr(type, max - APInt(bits, uint64_t(span))));
    require(compare(arith::CmpIPredicate::ule, x, limit));
  }
  if (isa<arith::ShRUIOp, arith::ShRSIOp>(op)) {
    Value last = arith::ShRUIOp::create(b, arith::AddIOp::create(b, x, number(span)), by);
    require(compare(arith::CmpIPredicate::eq, last, result));
    return holds;
  }
  Value rest = result;
  if (isa<arith::DivUIOp, arith::DivSIOp>(op))
    rest = arith::SubIOp::create(b, x, arith::MulIOp::create(b, result, by));
  Value room = arith::SubIOp::create(b, by, number(span));
  require(compare(isSigned ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ugt, by, number(span)));
  require(compare(isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult, rest, room));
  return holds;
}

// Checks that the first and the last lane, and so all lanes between them, take the side that is assumed: neither the
// compared value nor the result wraps around between two lanes.
Value checkOneSide(VectorBody &body, Operation *op) {
  VectorBuilder &b = body.builder();
  using Predicate = arith::CmpIPredicate;
  const OneSide choice = *body.shapes().oneSide(op);
  auto number = [&](Type type, int64_t value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value)).getResult();
  };
  auto compare = [&](Predicate predicate, Value a, Value other) {
    return arith::CmpIOp::create(b, predicate, a, other).getResult();
  };
  Value holds;
  auto require = [&](Value condition) {
    holds = holds ? arith::AndIOp::create(b, holds, condition).getResult() : condition;
  };
  // The lowest and the highest lane.
  auto endsOf = [&](Value value) {
    const int64_t span = body.shape(value).strideInfoIfGuardsHold()->stride * int64_t(b.lanes() - 1);
    Value first = body.lane0(value), last = arith::AddIOp::create(b, first, number(value.getType(), span));
    return span > 0 ? std::pair(first, last) : std::pair(last, first);
  };
  const auto [low, high] = endsOf(choice.compared);
  const StrideInfo info = *body.shape(choice.compared).strideInfoIfGuardsHold();
  const Value bound = body.lane0(choice.bound);
  switch (choice.predicate) {
  case Predicate::slt:
  case Predicate::sle:
  case Predicate::ult:
  case Predicate::ule:
    require(compare(choice.predicate, high, bound));
    break;
  case Predicate::ne: // the bound is outside of the lanes' range
    require(compare(Predicate::ugt, arith::SubIOp::create(b, bound, low),
                    number(bound.getType(), std::abs(info.stride) * int64_t(b.lanes() - 1))));
    break;
  default:
    require(compare(choice.predicate, low, bound));
  }
  // The flags hold for active lanes. Before a side effect all are active.
  const bool mayWrap = choice.predicate < Predicate::ult ? !info.noSignedWrap : !info.noUnsignedWrap;
  if (mayWrap || !body.shapes().isCheckedEarly(op))
    require(compare(choice.predicate < Predicate::ult ? Predicate::sle : Predicate::ule, low, high));
  if (body.shapes().needsRangeCheck(op)) {
    const Value lowest = endsOf(choice.taken).first;
    const int64_t span = std::abs(body.shape(choice.taken).strideInfoIfGuardsHold()->stride) * int64_t(b.lanes() - 1);
    const uint64_t max = LaneShapes::maxOfOneSide(lowest.getType().getIntOrFloatBitWidth());
    require(compare(Predicate::ule, lowest, number(lowest.getType(), int64_t(max) - span)));
  }
  return holds;
}

} // namespace

void RuntimeChecks::collectAddressGuards() {
  body_.from().getBody().walk([&](Operation *op) {
    if (const AccessGroup *group = body_.groups().of(op); group && !group->isContiguous)
      return; // each lane computes its address
    Value address;
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      address = load.getAddr();
    else if (auto store = dyn_cast<LLVM::StoreOp>(op))
      address = store.getAddr();
    else if (auto read = dyn_cast<wg::ReadOp>(op))
      address = read.getItem();
    if (!address)
      return;
    const LaneShape where = body_.shape(address); // a temporary of the loop's range would be destroyed
    for (Operation *guard : where.guards())
      addressGuards_.insert(guard);
  });
}

Value RuntimeChecks::check(Operation *guard) {
  if (auto access = dyn_cast<ocl::CheckAccessOp>(guard))
    return checkRange(body_, access, masks_.lookup(guard));
  const bool isTile = isDivRemOrMask(guard), isSide = body_.shapes().oneSide(guard).has_value();
  if (body_.isSkipped(isTile ? Assumption::OneTile : isSide ? Assumption::OneSide : Assumption::NoWrap))
    return intConstant(body_.builder(), 1, 1);
  if (isTile)
    return checkOneTile(body_, guard);
  if (isSide)
    return checkOneSide(body_, guard);
  const Value mask = masks_.lookup(guard);
  return mask && !body_.isSkipped(Assumption::ActiveLane) ? checkNoWrapOfActive(body_, guard, mask)
                                                          : checkNoWrap(body_, guard);
}

void RuntimeChecks::checkEarly(Operation *guard) {
  if (body_.shapes().isCheckedEarly(guard))
    return beginGuardedCode(body_, check(guard));
  if (!addressGuards_.contains(guard) || !body_.hasLane0(guard->getResult(0)))
    return;
  beginGuardedCode(body_, check(guard));
  passed_.guards_.insert(guard);
}

GuardCheck RuntimeChecks::checkGuards(const LaneShape &shape) {
  GuardCheck result{{}, passed_};
  for (Operation *guard : shape.guards())
    if (result.passed.guards_.insert(guard).second) {
      Value holds = check(guard);
      result.holds = result.holds ? arith::AndIOp::create(body_.builder(), result.holds, holds).getResult() : holds;
    }
  return result;
}

Value checkAlias(VectorBody &body, const AccessGroups::AliasCheck &check) {
  VectorBuilder &b = body.builder();
  Type number = b.getI64Type();
  auto constant = [&](int64_t value) { return intConstant(b, value, 64); };
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value other) {
    return arith::CmpIOp::create(b, predicate, a, other).getResult();
  };
  auto either = [&](Value a, Value other) { return arith::OrIOp::create(b, a, other).getResult(); };
  Value distance = arith::SubIOp::create(b, LLVM::PtrToIntOp::create(b, number, check.written),
                                         LLVM::PtrToIntOp::create(b, number, check.read));
  Value isDisjoint = either(compare(arith::CmpIPredicate::sge, distance, constant(check.readTo - check.writtenFrom)),
                            compare(arith::CmpIPredicate::sle, distance, constant(check.readFrom - check.writtenTo)));
  return check.orSame ? either(isDisjoint, compare(arith::CmpIPredicate::eq, distance, constant(0))) : isDisjoint;
}

} // namespace kiln
