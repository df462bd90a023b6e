// Math functions on the CPU: one instruction if the processor has it, else a call of Kiln's math library in the
// instance of the vector's width (backends/cpu/math). Halves are computed in single precision.
//
//   %y = ocl.math sin (%x) : (vector<4xf32>) -> vector<4xf32>  ==>  %y = llvm.call @kiln.math.sin.f32x4(%x)
//   %y = ocl.math sin native (%x) : (f32) -> f32               ==>  %y = llvm.call @kiln.math.fast.sin.f32(%x)
#include "passes/cpu/MathLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/cpu/PureCall.h"
#include "passes/lowering/MathSymbols.h"
#include <cmath>
#include <numeric>

using namespace mlir;

namespace kiln {
namespace {

using ocl::MathFn;
using ocl::MathPrecision;

class MathFunctionLowering {
public:
  MathFunctionLowering(Operation *place, OpBuilder &builder)
      : b_(builder), loc_(place->getLoc()), isRelaxed_(place->hasAttr(cpu::UnsafeMathAttr)) {}

  // Operands are scalars or vectors.
  Value run(MathFn fn, MathPrecision precision, ArrayRef<Value> operands, Type type) {
    Type number = getElementTypeOrSelf(operands[0].getType());
    if (number.isF16())
      return inSingle(fn, precision, operands, type);
    if (fn == MathFn::sqrt)
      return math::SqrtOp::create(b_, loc_, operands[0]);
    if (fn == MathFn::rsqrt)
      return reciprocalRoot(operands[0], precision);
    bool fast = (isRelaxed_ || precision != MathPrecision::full) && number.isF32() && cpu::hasFastVersion(fn);
    return fromLibrary(fn, fast, operands, type);
  }

private:
  // ---- shapes -------------------------------------------------------------------------------------------------------

  Type shaped(Type element, Type like) {
    auto vector = dyn_cast<VectorType>(like);
    return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
  }
  static int64_t lanesOf(Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? vector.getNumElements() : 1;
  }
  // `count` elements of a vector from `first` on; poison past its end.
  Value lanes(Value value, int64_t first, int64_t count) {
    int64_t all = lanesOf(value.getType());
    SmallVector<int32_t> mask(count, -1);
    for (int64_t i = 0; i < count && first + i < all; ++i)
      mask[i] = int32_t(first + i);
    return LLVM::ShuffleVectorOp::create(b_, loc_, value, value, mask);
  }

  // ---- the library --------------------------------------------------------------------------------------------------

  Value inSingle(MathFn fn, MathPrecision precision, ArrayRef<Value> operands, Type type) {
    SmallVector<Value> wide;
    for (Value operand : operands)
      wide.push_back(getElementTypeOrSelf(operand.getType()).isF16()
                         ? arith::ExtFOp::create(b_, loc_, shaped(b_.getF32Type(), operand.getType()), operand)
                         : operand);
    return arith::TruncFOp::create(b_, loc_, type, run(fn, precision, wide, shaped(b_.getF32Type(), type)));
  }

  // native_rsqrt uses an estimate and a Newton step. Its result for 0 may be wrong, which the specification allows: the
  // accuracy of native functions is implementation-defined.
  Value reciprocalRoot(Value x, MathPrecision precision) {
    auto flags = arith::FastMathFlags::none;
    if (precision == MathPrecision::native && getElementTypeOrSelf(x.getType()).isF32())
      flags = arith::FastMathFlags::arcp | arith::FastMathFlags::afn | arith::FastMathFlags::contract;
    Value root = math::SqrtOp::create(b_, loc_, x, flags);
    return arith::DivFOp::create(b_, loc_, number(1, x.getType()), root, flags);
  }

  // The library's integers are as wide as its floating-point numbers. A vector uses the narrowest instance that holds
  // it, or several calls of the widest.
  Value fromLibrary(MathFn fn, bool fast, ArrayRef<Value> operands, Type type) {
    bool isDouble = getElementTypeOrSelf(operands[0].getType()).isF64();
    SmallVector<Value> wide(operands);
    if (isDouble)
      for (Value &operand : wide)
        if (getElementTypeOrSelf(operand.getType()).isInteger(32))
          operand = arith::ExtSIOp::create(b_, loc_, shaped(b_.getI64Type(), operand.getType()), operand);
    int64_t count = lanesOf(type);
    if (!isa<VectorType>(type))
      return call(cpu::mathSymbol(fn, fast, isDouble, 1), wide, type);
    auto widths = cpu::mathWidths(isDouble);
    unsigned width = widths.back();
    for (unsigned one : llvm::reverse(widths))
      if (one >= count)
        width = one;
    Type part = VectorType::get({int64_t(width)}, getElementTypeOrSelf(type));
    Value result;
    for (int64_t first = 0; first < count; first += width) {
      SmallVector<Value> parts;
      for (Value operand : wide)
        parts.push_back(count == width ? operand : lanes(operand, first, width));
      Value made = call(cpu::mathSymbol(fn, fast, isDouble, width), parts, part);
      result = result ? join(result, made) : made;
    }
    return lanesOf(result.getType()) == count ? result : lanes(result, 0, count);
  }
  // A shuffle's operands have one type: `high` is padded if it is shorter.
  Value join(Value low, Value high) {
    const int64_t first = lanesOf(low.getType()), second = lanesOf(high.getType());
    SmallVector<int32_t> mask(first + second);
    std::iota(mask.begin(), mask.end(), 0);
    return LLVM::ShuffleVectorOp::create(b_, loc_, low, second < first ? lanes(high, 0, first) : high, mask);
  }
  Value call(StringRef name, ArrayRef<Value> operands, Type type) { return pureCall(b_, loc_, name, operands, type); }

  Value number(double value, Type type) {
    auto one = b_.getFloatAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type))
      return arith::ConstantOp::create(b_, loc_, DenseElementsAttr::get(vector, Attribute(one)));
    return arith::ConstantOp::create(b_, loc_, one);
  }

  OpBuilder &b_;
  Location loc_;
  bool isRelaxed_;
};

} // namespace

Value lowerMath(ocl::MathOp op, OpBuilder &builder) {
  return MathFunctionLowering(op, builder)
      .run(op.getFn(), op.getPrecision(), SmallVector<Value>(op.getOperands()), op.getType());
}

Value lowerRemainder(arith::RemFOp op, OpBuilder &builder) {
  return MathFunctionLowering(op, builder)
      .run(MathFn::fmod, MathPrecision::full, SmallVector<Value>(op.getOperands()), op.getType());
}

} // namespace kiln
