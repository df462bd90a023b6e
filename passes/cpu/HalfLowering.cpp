// Half precision on processors that only convert halves. Operations that LLVM would lower to a call of the C library
// are computed in single precision, where they are exact, and fma in double.
//
// fma rounds once here as well. The product of two halves has 22 bits, so it is exact in double. If it is the larger
// operand, the sum spans at most 41 bits and is exact. If the addend is larger, the sum may be inexact, but is then not
// near the midpoint of two halves: the addend is a half itself, and a product that reaches a midpoint from there has no
// bit as low as the last of the sum's 53.
#include "passes/cpu/HalfLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace kiln {
namespace {

Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

} // namespace

Value lowerHalf(Operation *op, OpBuilder &b) {
  if (op->getNumResults() != 1 || !getElementTypeOrSelf(op->getResult(0).getType()).isF16())
    return {};
  const Location loc = op->getLoc();
  const Type half = op->getResult(0).getType();
  auto wide = [&](unsigned operand, Type element) -> Value {
    return arith::ExtFOp::create(b, loc, withElement(half, element), op->getOperand(operand));
  };
  if (isa<math::FmaOp>(op)) {
    Value product = arith::MulFOp::create(b, loc, wide(0, b.getF64Type()), wide(1, b.getF64Type()));
    Value sum = arith::AddFOp::create(b, loc, product, wide(2, b.getF64Type()));
    return arith::TruncFOp::create(b, loc, half, sum);
  }
  if (isa<arith::MinNumFOp, arith::MaxNumFOp>(op)) {
    Value x = op->getOperand(0), y = op->getOperand(1);
    auto order = isa<arith::MinNumFOp>(op) ? arith::CmpFPredicate::OLT : arith::CmpFPredicate::OGT;
    Value better = arith::CmpFOp::create(b, loc, order, y, x);
    Value none = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
    return arith::SelectOp::create(b, loc, arith::OrIOp::create(b, loc, better, none), y, x);
  }
  if (!isa<math::CeilOp, math::FloorOp, math::TruncOp, math::RoundOp, math::RoundEvenOp>(op))
    return {};
  SmallVector<Value> operands;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    operands.push_back(wide(i, b.getF32Type()));
  OperationState state(loc, op->getName(), operands, withElement(half, b.getF32Type()), op->getAttrs());
  return arith::TruncFOp::create(b, loc, half, b.create(state)->getResult(0));
}

} // namespace kiln
