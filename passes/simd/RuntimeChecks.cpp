// Runtime checks of a vector body's assumptions. An assumption about a value is a guard of its lane shape. The stride
// of such a shape is available against a GuardsPassed only, which this file creates where it emits the check.
//
//   %sum = addi %i0, 7 : i32        %sum = addi %i0, 7 : i32                      // lane 0's
//   %wide = extsi %sum       ==>    %wide = extsi %sum
//   load %p[%wide]                  %holds = cmpi sle, %sum, 2147483647 - 7       // no lane's i32 wraps around
//                                   scf.if %holds { load %p[%wide] : vector<8xf32> } else { one load per lane }
//
// A guard of an address is checked right after the value that it is about, if no side effect has happened by then. The
// rest of the body runs under the check, and a vector that fails it runs in the fallback or the scalar body. Other
// guards are checked at each access.
#include "dialects/ocl/Ocl.h"
#include "passes/simd/Widener.h"

using namespace mlir;

namespace kiln {

void Widener::collectAddressGuards() {
  from_.getBody().walk([&](Operation *op) {
    if (groups_.of(op)) // each lane computes its address
      return;
    Value address;
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      address = load.getAddr();
    else if (auto store = dyn_cast<LLVM::StoreOp>(op))
      address = store.getAddr();
    if (address)
      for (Operation *guard : shape(address).guards())
        addressGuards_.insert(guard);
  });
}

void Widener::proveEarly(Operation *guard) {
  if (!addressGuards_.contains(guard) || !hasLane0(guard->getResult(0)))
    return;
  beginGuardedCode(checkGuard(guard), {}, {});
  passed_.guards_.insert(guard);
}

Widener::GuardCheck Widener::checkGuards(const LaneShape &shape) {
  GuardCheck check{{}, passed_};
  for (Operation *guard : shape.guards())
    if (check.passed.guards_.insert(guard).second) {
      Value holds = checkGuard(guard);
      check.holds = check.holds ? arith::AndIOp::create(b, loc, check.holds, holds).getResult() : holds;
    }
  return check;
}

Value Widener::checkGuard(Operation *guard) {
  if (isSkipped(isDivRemOrMask(guard) ? Assumption::OneTile : Assumption::NoWrap))
    return arith::ConstantIntOp::create(b, loc, 1, 1);
  return isDivRemOrMask(guard) ? checkOneTile(guard) : checkNoWrap(guard);
}

// Checks that no step from a lane to the next wraps around in the narrower type. The guards of the operand need their
// own checks: the extension's shape has them as well.
Value Widener::checkNoWrap(Operation *extension) {
  Value operand = extension->getOperand(0);
  int64_t span = shape(operand).strideInfoIfGuardsHold()->stride * int64_t(lanes_ - 1);
  unsigned bits = operand.getType().getIntOrFloatBitWidth();
  bool isSigned = isa<arith::ExtSIOp, arith::IndexCastOp>(extension);
  APInt low = isSigned ? APInt::getSignedMinValue(bits) : APInt::getZero(bits);
  APInt high = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  APInt distance(bits, uint64_t(span), /*isSigned=*/true, /*implicitTrunc=*/true);
  bool rises = span > 0;
  APInt limit = (rises ? high : low) - distance;
  auto predicate = rises ? (isSigned ? arith::CmpIPredicate::sle : arith::CmpIPredicate::ule)
                         : (isSigned ? arith::CmpIPredicate::sge : arith::CmpIPredicate::uge);
  Value bound = arith::ConstantOp::create(b, loc, b.getIntegerAttr(operand.getType(), limit));
  return arith::CmpIOp::create(b, loc, predicate, lane0(operand), bound);
}

// Checks that the first and the last lane's value have the same quotient (lie in one tile).
Value Widener::checkOneTile(Operation *op) {
  Value strided = op->getOperand(0), uniform = op->getOperand(1);
  if (shape(strided).isUniform())
    std::swap(strided, uniform);
  Type type = strided.getType();
  const StrideInfo info = *shape(strided).strideInfoIfGuardsHold();
  const int64_t span = info.stride * int64_t(lanes_ - 1);
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value)).getResult();
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value other) {
    return arith::CmpIOp::create(b, loc, predicate, a, other).getResult();
  };
  auto bitAnd = [&](Value a, Value other) { return arith::AndIOp::create(b, loc, a, other).getResult(); };
  Value x = lane0(strided), by = lane0(uniform), result = lane0(op->getResult(0));
  Value holds;
  auto require = [&](Value condition) { holds = holds ? bitAnd(holds, condition) : condition; };
  if (isa<arith::AndIOp>(op)) { // the span fits in low bits that lane 0 has clear and the mask has set
    Value low = number(int64_t(llvm::PowerOf2Ceil(uint64_t(span) + 1)) - 1);
    require(compare(arith::CmpIPredicate::eq, bitAnd(x, low), number(0)));
    require(compare(arith::CmpIPredicate::eq, bitAnd(by, low), low));
    return holds;
  }
  const bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::ShRSIOp>(op);
  // Under a mask lane 0 may be inactive: no flag covers its value, and it may be negative.
  if (!canFallBack_ || !info.noUnsignedWrap) {
    const unsigned bits = type.getIntOrFloatBitWidth();
    const APInt max = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
    Value limit = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, max - APInt(bits, uint64_t(span))));
    require(compare(arith::CmpIPredicate::ule, x, limit));
  }
  if (isa<arith::ShRUIOp, arith::ShRSIOp>(op)) {
    Value last = arith::ShRUIOp::create(b, loc, arith::AddIOp::create(b, loc, x, number(span)), by);
    require(compare(arith::CmpIPredicate::eq, last, result));
    return holds;
  }
  Value rest = result;
  if (isa<arith::DivUIOp, arith::DivSIOp>(op))
    rest = arith::SubIOp::create(b, loc, x, arith::MulIOp::create(b, loc, result, by));
  Value room = arith::SubIOp::create(b, loc, by, number(span));
  require(compare(isSigned ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ugt, by, number(span)));
  require(compare(isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult, rest, room));
  return holds;
}

Value Widener::checkAlias(const AccessGroups::AliasCheck &check) {
  Type number = b.getI64Type();
  auto constant = [&](int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 64).getResult(); };
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value other) {
    return arith::CmpIOp::create(b, loc, predicate, a, other).getResult();
  };
  auto either = [&](Value a, Value other) { return arith::OrIOp::create(b, loc, a, other).getResult(); };
  Value distance = arith::SubIOp::create(b, loc, LLVM::PtrToIntOp::create(b, loc, number, check.written),
                                         LLVM::PtrToIntOp::create(b, loc, number, check.read));
  Value isDisjoint = either(compare(arith::CmpIPredicate::sge, distance, constant(check.readTo - check.writtenFrom)),
                            compare(arith::CmpIPredicate::sle, distance, constant(check.readFrom - check.writtenTo)));
  return check.orSame ? either(isDisjoint, compare(arith::CmpIPredicate::eq, distance, constant(0))) : isDisjoint;
}

} // namespace kiln
