// Integer divisions of vectors by floating-point numbers. No processor divides vectors of integers, and LLVM extracts
// each lane, divides and inserts the quotient.
//
//   arith.divui %a, %d : vector<16xi32>      ==>     fptoui (uitofp %a / uitofp %d)       // vector<16xf64>
//   ... if %d is a broadcast                 ==>     fptoui (uitofp %a * %r), %r = (1 + 2^-50) / %d, one scalar
//
// The quotient is exact. With p bits of a mantissa, each rounding changes a number x by at most x * 2^-p.
// * Division: the next integer above a / d is at least 1 / d away. The quotient's error, a / d * 2^-p, is smaller for
//   |a| < 2^p, so truncation gives the same integer.
// * Multiplication: three roundings change a / d * (1 + 2^(3-p)) by less than a / d * 2^(2-p). So the product is at
//   least a / d, and above it by less than a / d * 2^(4-p), which is less than 1 / d for |a| < 2^(p-4).
// p is 53 for 32 bits, and 24 for 8 and 16 bits. The smallest quotient is 2^-32, no subnormal number. A divisor of zero
// in a lane that is not active gives any number, and does not trap.
//
// A pass of FastWalshTransform (AMD's samples: two quotients and remainders by an argument) takes half of the time.
#include "passes/cpu/DivisionLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;

namespace kiln {
namespace {

// With fewer lanes, extracting them is as fast.
constexpr int64_t MinLanes = 4;

/// The division of one operation.
class VectorDivision {
public:
  VectorDivision(Operation *op, OpBuilder &b)
      : op_(op), b_(b), loc_(op->getLoc()), isSigned_(isa<arith::DivSIOp, arith::RemSIOp>(op)),
        float_(cast<VectorType>(op->getResult(0).getType()).getElementTypeBitWidth() > 16 ? FloatType(b.getF64Type())
                                                                                          : b.getF32Type()) {}

  Value result() {
    Value a = op_->getOperand(0), d = op_->getOperand(1);
    Value ratio;
    if (auto uniform = d.getDefiningOp<vector::BroadcastOp>(); uniform && !isa<VectorType>(uniform.getSourceType()))
      ratio = arith::MulFOp::create(b_, loc_, toFloat(a), splat(reciprocal(uniform.getSource())));
    else
      ratio = arith::DivFOp::create(b_, loc_, toFloat(a), toFloat(d));
    const Type type = a.getType();
    Value quotient = isSigned_ ? Value(arith::FPToSIOp::create(b_, loc_, type, ratio))
                               : Value(arith::FPToUIOp::create(b_, loc_, type, ratio));
    if (isa<arith::DivSIOp, arith::DivUIOp>(op_))
      return quotient;
    return arith::SubIOp::create(b_, loc_, a, arith::MulIOp::create(b_, loc_, quotient, d));
  }

private:
  Value toFloat(Value number) {
    auto vector = dyn_cast<VectorType>(number.getType());
    const Type type = vector ? Type(vector.clone(float_)) : float_;
    return isSigned_ ? Value(arith::SIToFPOp::create(b_, loc_, type, number))
                     : Value(arith::UIToFPOp::create(b_, loc_, type, number));
  }
  Value constant(double number) { return arith::ConstantOp::create(b_, loc_, b_.getFloatAttr(float_, number)); }
  // 1 / d, rounded up.
  Value reciprocal(Value divisor) {
    const int mantissa = int(float_.getFPMantissaWidth());
    Value inverse = arith::DivFOp::create(b_, loc_, constant(1), toFloat(divisor));
    return arith::MulFOp::create(b_, loc_, inverse, constant(1 + std::ldexp(1, 3 - mantissa)));
  }
  Value splat(Value number) {
    auto vector = cast<VectorType>(op_->getResult(0).getType());
    return vector::BroadcastOp::create(b_, loc_, vector.clone(float_), number);
  }

  Operation *op_;
  OpBuilder &b_;
  Location loc_;
  bool isSigned_;
  FloatType float_;
};

} // namespace

Value lowerVectorDivision(Operation *op, OpBuilder &builder) {
  if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return {};
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  if (!type || type.getNumElements() < MinLanes || type.getElementTypeBitWidth() > 32 ||
      matchPattern(op->getOperand(1), m_Constant()))
    return {};
  return VectorDivision(op, builder).result();
}

} // namespace kiln
