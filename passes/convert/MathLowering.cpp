// Math functions on the CPU: one instruction where there is one, else a call through the launch's table of services, once
// for each component of a vector. The functions that C lacks are formed from those it has; in single precision the work
// happens in double, so that the result is rounded once. Half precision is computed in single.
#include "passes/convert/MathLowering.h"
#include "backends/KernelAbi.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;

namespace kiln {
namespace {

using ocl::MathFn;

class Lowering {
public:
  Lowering(Value place, OpBuilder &builder) : b(builder), loc(place.getLoc()) {}

  // One component. `operands` are scalars.
  Value scalar(MathFn fn, ArrayRef<Value> operands, Type type) {
    Type work = operands[0].getType();
    if (work.isF16()) {
      SmallVector<Value> wide;
      for (Value operand : operands)
        wide.push_back(operand.getType().isF16() ? extend(operand, b.getF32Type()) : operand);
      if (!type.isF16())
        return scalar(fn, wide, type);
      return arith::TruncFOp::create(b, loc, type, scalar(fn, wide, b.getF32Type()));
    }
    switch (fn) {
    case MathFn::sqrt:
      return math::SqrtOp::create(b, loc, operands[0]);
    case MathFn::rsqrt:
      return arith::DivFOp::create(b, loc, number(1, work), math::SqrtOp::create(b, loc, operands[0]));
    case MathFn::acospi:
      return inDouble(operands, type, [&](auto x) { return div(call("acos", x), number(M_PI, x[0].getType())); });
    case MathFn::asinpi:
      return inDouble(operands, type, [&](auto x) { return div(call("asin", x), number(M_PI, x[0].getType())); });
    case MathFn::atanpi:
      return inDouble(operands, type, [&](auto x) { return div(call("atan", x), number(M_PI, x[0].getType())); });
    case MathFn::atan2pi:
      return inDouble(operands, type, [&](auto x) { return div(call("atan2", x), number(M_PI, x[0].getType())); });
    case MathFn::cospi:
    case MathFn::sinpi:
    case MathFn::tanpi:
      return inDouble(operands, type, [&](auto x) { return ofPi(fn, x[0]); });
    case MathFn::pown:
      return inDouble(operands, type, [&](auto x) {
        return call("pow", {x[0], arith::SIToFPOp::create(b, loc, x[0].getType(), x[1])});
      });
    case MathFn::powr:
      return inDouble(operands, type, [&](auto x) { return powr(x[0], x[1]); });
    case MathFn::rootn:
      return inDouble(operands, type, [&](auto x) { return rootn(x[0], x[1]); });
    default:
      return call(stringifyMathFn(fn), operands, type);
    }
  }

  Value call(StringRef name, ArrayRef<Value> operands, Type type = {}) {
    Type work = operands[0].getType();
    if (!type)
      type = work;
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    auto function = b.getInsertionBlock()->getParent()->getParentOfType<LLVM::LLVMFuncOp>();
    auto field = [&](Value base, int32_t offset) -> Value {
      Value address = LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{offset});
      auto load = LLVM::LoadOp::create(b, loc, pointer, address, 8);
      load.setInvariant(true); // the table does not change: the loads leave every loop
      return load;
    };
    Value services = field(function.getArgument(1), offsetof(abi::LaunchInfo, services));
    Value callee = field(services, offsetof(abi::Services, math) + indexOf(name, work.isF64()) * sizeof(void *));
    SmallVector<Type> types;
    SmallVector<Value> all{callee};
    for (Value operand : operands)
      types.push_back(operand.getType()), all.push_back(operand);
    auto result = LLVM::CallOp::create(b, loc, LLVM::LLVMFunctionType::get(type, types), all);
    auto none = LLVM::ModRefInfo::NoModRef;
    result.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(b.getContext(), {none, none, none, none, none, none}));
    result.setNoUnwind(true);
    result.setWillReturn(true);
    return result.getResult();
  }

private:
  Value number(double value, Type type) { return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value)); }
  Value extend(Value value, Type type) { return arith::ExtFOp::create(b, loc, type, value); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value select(Value condition, Value yes, Value no) { return arith::SelectOp::create(b, loc, condition, yes, no); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) { return arith::CmpFOp::create(b, loc, predicate, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }

  template <typename Body> Value inDouble(ArrayRef<Value> operands, Type type, Body body) {
    SmallVector<Value> wide;
    for (Value operand : operands)
      wide.push_back(operand.getType().isF32() ? extend(operand, b.getF64Type()) : operand);
    Value result = body(wide);
    return type.isF32() ? Value(arith::TruncFOp::create(b, loc, type, result)) : result;
  }

  // sin, cos, tan of pi x. Reduced first, exactly: x - 2 rint(x / 2) lies in [-1, 1].
  Value ofPi(MathFn fn, Value x) {
    Type type = x.getType();
    Value half = arith::MulFOp::create(b, loc, x, number(0.5, type));
    Value turns = math::RoundEvenOp::create(b, loc, half);
    Value rest = arith::SubFOp::create(b, loc, half, turns); // in half turns of 2 pi: [-0.5, 0.5]
    rest = arith::MulFOp::create(b, loc, rest, number(2, type));
    Value magnitude = math::AbsFOp::create(b, loc, rest);
    // Fold to [0, 0.25], where the product with pi loses nothing that matters, and pick sine or cosine.
    Value beyond = compare(arith::CmpFPredicate::OGT, magnitude, number(0.5, type));
    Value folded = select(beyond, arith::SubFOp::create(b, loc, number(1, type), magnitude), magnitude);
    Value steep = compare(arith::CmpFPredicate::OGT, folded, number(0.25, type));
    Value inner = select(steep, arith::SubFOp::create(b, loc, number(0.5, type), folded), folded);
    Value angle = arith::MulFOp::create(b, loc, inner, number(M_PI, type));
    Value s = call("sin", {angle}), c = call("cos", {angle});
    Value sine = math::CopySignOp::create(b, loc, select(steep, c, s), rest);
    // The sine of a whole number is a zero with the sign of x.
    Value whole = compare(arith::CmpFPredicate::OEQ, folded, number(0, type));
    sine = select(whole, math::CopySignOp::create(b, loc, number(0, type), x), sine);
    Value cosine = select(steep, s, c);
    cosine = select(beyond, arith::NegFOp::create(b, loc, cosine), cosine);
    Value middle = compare(arith::CmpFPredicate::OEQ, folded, number(0.5, type));
    cosine = select(middle, number(0, type), cosine);
    Value nan = number(NAN, type);
    Value finite = compare(arith::CmpFPredicate::OLT, math::AbsFOp::create(b, loc, x), number(INFINITY, type));
    if (fn == MathFn::sinpi)
      return select(finite, sine, nan);
    if (fn == MathFn::cospi)
      return select(finite, cosine, nan);
    // tanpi of n + 0.5 is +inf for even n and -inf for odd; of odd n, -0 * sign.
    Value tangent = div(sine, cosine);
    Value signedHalf = select(compare(arith::CmpFPredicate::OGT, sine, number(0, type)), number(INFINITY, type),
                              number(-INFINITY, type));
    tangent = select(middle, signedHalf, tangent);
    return select(finite, tangent, nan);
  }

  // pow without its exceptions for the sake of integers: powr(x<0, y), powr(0, 0), powr(inf, 0), powr(1, inf) are NaN.
  Value powr(Value x, Value y) {
    Type type = x.getType();
    auto equal = [&](Value value, double what) { return compare(arith::CmpFPredicate::OEQ, value, number(what, type)); };
    Value magnitudeY = math::AbsFOp::create(b, loc, y);
    Value bad = compare(arith::CmpFPredicate::OLT, x, number(0, type));
    bad = either(bad, compare(arith::CmpFPredicate::UNO, x, y));
    bad = either(bad, both(equal(y, 0), either(equal(x, 0), equal(x, INFINITY))));
    bad = either(bad, both(equal(x, 1), equal(magnitudeY, INFINITY)));
    return select(bad, number(NAN, type), call("pow", {math::AbsFOp::create(b, loc, x), y}));
  }

  // The n-th root: an odd root keeps the sign, an even one of a negative number and the 0th are NaN.
  Value rootn(Value x, Value n) {
    Type type = x.getType();
    Value zero = arith::ConstantIntOp::create(b, loc, 0, 32), one = arith::ConstantIntOp::create(b, loc, 1, 32);
    Value odd = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, arith::AndIOp::create(b, loc, n, one), zero);
    Value none = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, n, zero);
    Value magnitude = math::AbsFOp::create(b, loc, x);
    Value root = call("pow", {magnitude, div(number(1, type), arith::SIToFPOp::create(b, loc, type, n))});
    Value signedRoot = select(odd, math::CopySignOp::create(b, loc, root, x), root);
    Value negative = compare(arith::CmpFPredicate::OLT, x, number(0, type));
    Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
    Value even = arith::XOrIOp::create(b, loc, odd, yes);
    return select(either(none, both(negative, even)), number(NAN, type), signedRoot);
  }

  static size_t indexOf(StringRef name, bool isDouble) {
    static const llvm::StringMap<size_t> indices = [] {
      llvm::StringMap<size_t> map;
#define KILN_ROW(name) map[#name] = static_cast<size_t>(abi::Math::name##_f32);
      KILN_MATH_UNARY(KILN_ROW) KILN_MATH_BINARY(KILN_ROW) KILN_MATH_TERNARY(KILN_ROW) KILN_MATH_FLOAT_INT(KILN_ROW)
#undef KILN_ROW
              return map;
    }();
    return indices.at(name) + (isDouble ? 1 : 0);
  }

  OpBuilder &b;
  Location loc;
};

// `component` of scalars gives a scalar; vectors go one component after the other.
template <typename Body> Value forEachComponent(ValueRange operands, Type type, OpBuilder &b, Location loc, Body component) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return component(SmallVector<Value>(operands), type);
  Value result = LLVM::PoisonOp::create(b, loc, type);
  for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
    Value index = arith::ConstantIntOp::create(b, loc, lane, 32);
    SmallVector<Value> scalars;
    for (Value operand : operands)
      scalars.push_back(LLVM::ExtractElementOp::create(b, loc, operand, index));
    result = LLVM::InsertElementOp::create(b, loc, result, component(scalars, vector.getElementType()), index);
  }
  return result;
}
} // namespace

Value lowerMath(ocl::MathOp op, OpBuilder &builder) {
  if (op.getFn() == MathFn::sqrt && !getElementTypeOrSelf(op.getType()).isF16())
    return math::SqrtOp::create(builder, op.getLoc(), op.getOperands()[0]); // whole vectors at once
  Lowering lowering(op.getResult(), builder);
  return forEachComponent(op.getOperands(), op.getType(), builder, op.getLoc(), [&](ArrayRef<Value> operands, Type type) {
    return lowering.scalar(op.getFn(), operands, type);
  });
}

Value lowerRemainder(Value x, Value y, OpBuilder &builder) {
  Lowering lowering(x, builder);
  return forEachComponent({x, y}, x.getType(), builder, x.getLoc(), [&](ArrayRef<Value> operands, Type type) {
    return lowering.scalar(MathFn::fmod, operands, type);
  });
}

} // namespace kiln
