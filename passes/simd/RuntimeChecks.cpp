// Runtime checks of what a vector's code assumes. An assumption about a value is a guard of its lane shape; the stride
// of such a shape is available against a GuardsPassed only, and this file makes those.
//
//   %sum = addi %i0, 7 : i32        %sum = addi %i0, 7 : i32                      // lane 0's
//   %wide = extsi %sum       ==>    %wide = extsi %sum
//   load %p[%wide]                  %holds = cmpi sle, %sum, 2147483647 - 7       // no lane's i32 wraps around
//                                   scf.if %holds { load %p[%wide] : vector<8xf32> } else { one by one }
//
// Guards of addresses are checked as soon as their value is known, if no side effect has happened by then: all that is
// still to come runs under the check, and other work-items take the scalar or the fallback body. Other guards are
// checked at each access.
#include "dialects/ocl/Ocl.h"
#include "passes/simd/Widener.h"

using namespace mlir;

namespace kiln {

void Widener::collectAddressGuards() {
  from_.getBody().walk([&](Operation *op) {
    if (runs_.of(op)) // whose lanes compute their addresses one by one
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
  if (!addressGuards_.contains(guard) || !hasFirst(guard->getResult(0)))
    return;
  enter(checkGuard(guard), {}, {});
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

// No step from a lane to the next wraps around in the narrower type. The operand's own guards are checked as well: the
// extension's shape has them, too.
Value Widener::checkNoWrap(Operation *extension) {
  Value operand = extension->getOperand(0);
  int64_t span = shape(operand).riseIfGuardsHold()->stride * int64_t(lanes_ - 1);
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
  return arith::CmpIOp::create(b, loc, predicate, first(operand), bound);
}

// The first and the last lane's number lie in one tile: they have one quotient.
Value Widener::checkOneTile(Operation *op) {
  Value rising = op->getOperand(0), cut = op->getOperand(1);
  if (shape(rising).isUniform())
    std::swap(rising, cut);
  Type type = rising.getType();
  const Rise rise = *shape(rising).riseIfGuardsHold();
  const int64_t span = rise.stride * int64_t(lanes_ - 1);
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value)).getResult();
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value other) {
    return arith::CmpIOp::create(b, loc, predicate, a, other).getResult();
  };
  auto both = [&](Value a, Value other) { return arith::AndIOp::create(b, loc, a, other).getResult(); };
  Value x = first(rising), by = first(cut), result = first(op->getResult(0));
  Value holds;
  auto ask = [&](Value condition) { holds = holds ? both(holds, condition) : condition; };
  if (isa<arith::AndIOp>(op)) { // low bits that the mask keeps, and that hold the way from the first to the last
    Value low = number(int64_t(llvm::PowerOf2Ceil(uint64_t(span) + 1)) - 1);
    ask(compare(arith::CmpIPredicate::eq, both(x, low), number(0)));
    ask(compare(arith::CmpIPredicate::eq, both(by, low), low));
    return holds;
  }
  const bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::ShRSIOp>(op);
  // Under a mask lane 0 may be inactive: no flag covers its value, and it may be negative.
  if (!mayLeave_ || !rise.noUnsignedWrap) {
    const unsigned bits = type.getIntOrFloatBitWidth();
    const APInt most = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
    Value limit = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, most - APInt(bits, uint64_t(span))));
    ask(compare(arith::CmpIPredicate::ule, x, limit));
  }
  if (isa<arith::ShRUIOp, arith::ShRSIOp>(op)) {
    Value last = arith::ShRUIOp::create(b, loc, arith::AddIOp::create(b, loc, x, number(span)), by);
    ask(compare(arith::CmpIPredicate::eq, last, result));
    return holds;
  }
  Value rest = result;
  if (isa<arith::DivUIOp, arith::DivSIOp>(op))
    rest = arith::SubIOp::create(b, loc, x, arith::MulIOp::create(b, loc, result, by));
  Value room = arith::SubIOp::create(b, loc, by, number(span));
  ask(compare(isSigned ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ugt, by, number(span)));
  ask(compare(isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult, rest, room));
  return holds;
}

// What one work-item reads is not what it writes.
Value Widener::checkAlias(const AccessRuns::Apart &apart) {
  Type number = b.getI64Type();
  auto constant = [&](int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 64).getResult(); };
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value other) {
    return arith::CmpIOp::create(b, loc, predicate, a, other).getResult();
  };
  auto either = [&](Value a, Value other) { return arith::OrIOp::create(b, loc, a, other).getResult(); };
  Value way = arith::SubIOp::create(b, loc, LLVM::PtrToIntOp::create(b, loc, number, apart.written),
                                    LLVM::PtrToIntOp::create(b, loc, number, apart.read));
  Value are = either(compare(arith::CmpIPredicate::sge, way, constant(apart.readTo - apart.writtenFrom)),
                     compare(arith::CmpIPredicate::sle, way, constant(apart.readFrom - apart.writtenTo)));
  return apart.orSame ? either(are, compare(arith::CmpIPredicate::eq, way, constant(0))) : are;
}

} // namespace kiln
