// Lowers math functions and conversions to a GPU instruction if its error is within the bound, else to a call of the
// math library that the code generator links (backends/gpu/math).
//
//   %y = ocl.math sin (%x) : (f32) -> f32              %y = llvm.call @kiln.math.sin.f32(%x)
//   %y = ocl.math sin native (%x) : (f32) -> f32  ==>  %y = llvm.call_intrinsic "llvm.nvvm.sin.approx.f"(%x)
//
// The sine and the cosine of one scalar share a call, and so the reduction of the argument:
//
//   %s = ocl.math sin (%x)       %p = llvm.call @kiln.math.sincos.f32(%x) : (f32) -> vector<2xf32>
//   %c = ocl.math cos (%x)  ==>  %s = llvm.extractelement %p[0], %c = llvm.extractelement %p[1]
//
// Vectors are lowered by component. Half precision is computed in single, with approximations that its bounds allow.
#include "dialects/ocl/CallIntrinsic.h"
#include "dialects/ocl/IntConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/Pass.h"
#include "passes/gpu/GpuTargetInfo.h"
#include "passes/lowering/ConvertLowering.h"
#include "passes/lowering/MathSymbols.h"
#include <cmath>

using namespace mlir;

namespace kiln {
#include "passes/LowerGpuMath.pass.inc"
namespace {

using ocl::MathFn;
using ocl::MathPrecision;

class GpuMathLowering {
public:
  GpuMathLowering(Operation *op, const gpu::GpuTargetInfo &info, ModuleOp module)
      : b_(op), loc_(op->getLoc()), info_(info), module_(module) {}

  /// Returns the sine and the cosine of a float or a double.
  std::pair<Value, Value> sinCos(Value x, bool isFast) {
    StringRef name = x.getType().isF64() ? "kiln.math.sincos.f64"
                     : isFast            ? "kiln.math.fast.sincos.f32"
                                         : "kiln.math.sincos.f32";
    Value both = call(name, x, VectorType::get({2}, x.getType()));
    auto component = [&](int64_t index) {
      return LLVM::ExtractElementOp::create(b_, loc_, both, intConstant(b_, loc_, index, 32));
    };
    return {component(0), component(1)};
  }

  Value run(MathFn fn, MathPrecision precision, ValueRange operands, Type type) {
    return perComponent(operands, type, [&](SmallVector<Value> scalars, Type scalarType) {
      return scalar(fn, precision, std::move(scalars), scalarType);
    });
  }

  /// Returns true if the target has an instruction for the conversion and LLVM would not select it.
  static bool isOneInstruction(ocl::ConvertOp op, const gpu::GpuTargetInfo &info) {
    Type from = getElementTypeOrSelf(op.getValue().getType()), to = getElementTypeOrSelf(op.getType());
    if (!info.hasRoundingConversion() || !from.isF32() || !to.isInteger() || to.getIntOrFloatBitWidth() > 32)
      return false;
    return op.getRounding() != ocl::Rounding::rtz || (op.getSaturate() && to.getIntOrFloatBitWidth() < 32);
  }
  Value convertToInt(ocl::ConvertOp op) {
    return perComponent(op.getValue(), op.getType(), [&](ArrayRef<Value> x, Type type) {
      return info_.convertToInt(b_, loc_, x[0], op.getRounding(), op.getUnsignedOut(), type);
    });
  }

private:
  template <typename Build> Value perComponent(ValueRange operands, Type type, Build build) {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector)
      return build(SmallVector<Value>(operands), type);
    Value result = LLVM::PoisonOp::create(b_, loc_, type);
    for (int64_t component = 0; component < vector.getNumElements(); ++component) {
      Value index = intConstant(b_, loc_, component, 32);
      SmallVector<Value> scalars;
      for (Value operand : operands)
        scalars.push_back(LLVM::ExtractElementOp::create(b_, loc_, operand, index));
      Value part = build(std::move(scalars), vector.getElementType());
      result = LLVM::InsertElementOp::create(b_, loc_, result, part, index);
    }
    return result;
  }

  Value scalar(MathFn fn, MathPrecision precision, SmallVector<Value> operands, Type type) {
    if (operands[0].getType().isF16())
      return inSingle(fn, precision, operands, type);
    Value x = operands[0];
    if (fn == MathFn::sqrt)
      return math::SqrtOp::create(b_, loc_, x);
    if (fn == MathFn::rsqrt)
      return info_.reciprocalRoot(b_, loc_, x);
    if (fn == MathFn::ldexp)
      return callIntrinsic(b_, loc_, "llvm.ldexp", type, operands);
    bool isFast = type.isF32() && precision != MathPrecision::full;
    if (isFast)
      if (Value fast = approximate(fn, precision, operands))
        return fast;
    return call(fn, isFast && cpu::hasFastVersion(fn), operands, type);
  }

  // Half precision allows 2 ulp of a half, or 4. The hardware's exponential and logarithm are that precise for every
  // half: next to 1, log2 is 2^-11 with an error of 2^-22. The root is correctly rounded, so it stays half.
  Value inSingle(MathFn fn, MathPrecision precision, SmallVector<Value> operands, Type type) {
    if (fn == MathFn::sqrt)
      return math::SqrtOp::create(b_, loc_, operands[0]);
    if (fn == MathFn::ldexp)
      return callIntrinsic(b_, loc_, "llvm.ldexp", type, operands);
    for (Value &operand : operands)
      if (operand.getType().isF16())
        operand = arith::ExtFOp::create(b_, loc_, b_.getF32Type(), operand);
    bool isLog = fn == MathFn::log || fn == MathFn::log2 || fn == MathFn::log10;
    if (precision == MathPrecision::full)
      precision = isLog ? MathPrecision::native : MathPrecision::half;
    return arith::TruncFOp::create(b_, loc_, type, scalar(fn, precision, operands, b_.getF32Type()));
  }

  // The hardware's exponential, logarithm and sine implement `native_`. For `half_` (8192 ulp) only exponential and
  // logarithm suffice: the sine's error is absolute, and the power's grows with the exponent.
  Value approximate(MathFn fn, MathPrecision precision, ArrayRef<Value> operands) {
    Value x = operands[0];
    bool isNative = precision == MathPrecision::native;
    switch (fn) {
    case MathFn::exp2:
      return exp2(x);
    case MathFn::exp:
      return exp2(scaled(x, M_LOG2E));
    case MathFn::exp10:
      return exp2(scaled(x, M_LN10 / M_LN2));
    case MathFn::log2:
      return isNative ? log2(x) : Value();
    case MathFn::log:
      return isNative ? scaled(log2(x), M_LN2) : Value();
    case MathFn::log10:
      return isNative ? scaled(log2(x), M_LN2 / M_LN10) : Value();
    case MathFn::powr:
      return isNative ? exp2(arith::MulFOp::create(b_, loc_, operands[1], log2(x), afn())) : Value();
    case MathFn::sin:
      return isNative ? sin(x) : Value();
    case MathFn::cos:
      return isNative ? cos(x) : Value();
    case MathFn::tan:
      return isNative ? Value(arith::DivFOp::create(b_, loc_, sin(x), cos(x), afn())) : Value();
    default:
      return {};
    }
  }
  arith::FastMathFlags afn() { return arith::FastMathFlags::afn; }
  Value exp2(Value x) { return info_.approximate(b_, loc_, gpu::Approximate::Exp2, x); }
  Value log2(Value x) { return info_.approximate(b_, loc_, gpu::Approximate::Log2, x); }
  Value sin(Value x) { return info_.approximate(b_, loc_, gpu::Approximate::Sin, x); }
  Value cos(Value x) { return info_.approximate(b_, loc_, gpu::Approximate::Cos, x); }
  Value scaled(Value x, double factor) {
    return arith::MulFOp::create(b_, loc_, x,
                                 arith::ConstantOp::create(b_, loc_, b_.getFloatAttr(x.getType(), factor)));
  }

  // The library's integers are as wide as its floating-point numbers.
  Value call(MathFn fn, bool isFast, SmallVector<Value> operands, Type type) {
    bool isDouble = operands[0].getType().isF64();
    if (isDouble)
      for (Value &operand : operands)
        if (operand.getType().isInteger(32))
          operand = arith::ExtSIOp::create(b_, loc_, b_.getI64Type(), operand);
    return call(cpu::mathSymbol(fn, isFast, isDouble, 1), operands, type);
  }
  Value call(StringRef name, ArrayRef<Value> operands, Type type) {
    SmallVector<Type> types = llvm::to_vector(llvm::map_range(operands, [](Value value) { return value.getType(); }));
    auto none = LLVM::ModRefInfo::NoModRef;
    auto effects = LLVM::MemoryEffectsAttr::get(b_.getContext(), {none, none, none, none, none, none});
    if (!module_.lookupSymbol(name)) {
      OpBuilder top = OpBuilder::atBlockBegin(module_.getBody());
      auto function = LLVM::LLVMFuncOp::create(top, module_.getLoc(), name, LLVM::LLVMFunctionType::get(type, types));
      function.setMemoryEffectsAttr(effects);
      function.setNoUnwind(true);
      function.setWillReturn(true);
    }
    auto result = LLVM::CallOp::create(b_, loc_, TypeRange{type}, name, operands);
    result.setMemoryEffectsAttr(effects);
    result.setNoUnwind(true);
    result.setWillReturn(true);
    return result.getResult();
  }

  OpBuilder b_;
  Location loc_;
  const gpu::GpuTargetInfo &info_;
  ModuleOp module_;
};

// With unsafe math, a function has the bounds of `native_` (OpenCL C, relative error with unsafe math optimizations).
MathPrecision precisionOf(ocl::MathOp op) {
  return op->hasAttr(cpu::UnsafeMathAttr) && op.getType().isF32() ? MathPrecision::native : op.getPrecision();
}

struct LowerGpuMath : impl::LowerGpuMathBase<LowerGpuMath> {
  using LowerGpuMathBase::LowerGpuMathBase;

  // Lowers pairs in one block with one argument and precision. The first of the two is the place of the call.
  void joinSinesAndCosines(const gpu::GpuTargetInfo &info) {
    DenseMap<std::tuple<Block *, Value, MathPrecision>, ocl::MathOp> sines, cosines;
    SmallVector<std::pair<ocl::MathOp, ocl::MathOp>> pairs; // in the order of the program
    getOperation().walk([&](ocl::MathOp op) {
      bool isSine = op.getFn() == MathFn::sin;
      if ((!isSine && op.getFn() != MathFn::cos) || !(op.getType().isF32() || op.getType().isF64()) ||
          precisionOf(op) == MathPrecision::native)
        return;
      auto key = std::make_tuple(op->getBlock(), op.getOperands()[0], precisionOf(op));
      auto &others = isSine ? cosines : sines;
      auto other = others.find(key);
      if (other == others.end()) {
        (isSine ? sines : cosines).try_emplace(key, op);
        return;
      }
      pairs.emplace_back(other->second, op);
      others.erase(other);
    });
    for (auto [first, second] : pairs) {
      bool isFast = precisionOf(first) != MathPrecision::full && first.getType().isF32();
      auto [sine, cosine] = GpuMathLowering(first, info, getOperation()).sinCos(first.getOperands()[0], isFast);
      bool isSine = first.getFn() == MathFn::sin;
      first.getResult().replaceAllUsesWith(isSine ? sine : cosine);
      second.getResult().replaceAllUsesWith(isSine ? cosine : sine);
      first.erase();
      second.erase();
    }
  }

  void runOnOperation() override {
    auto info = gpu::GpuTargetInfo::of(getOperation(), "gpu-lower-math");
    if (!info)
      return signalPassFailure();
    joinSinesAndCosines(*info);
    getOperation().walk([&](Operation *op) {
      OpBuilder b(op);
      Value result;
      if (auto function = dyn_cast<ocl::MathOp>(op))
        result = GpuMathLowering(op, *info, getOperation())
                     .run(function.getFn(), precisionOf(function), function.getOperands(), function.getType());
      else if (auto remainder = dyn_cast<arith::RemFOp>(op)) // LLVM would turn it into a call of an unknown symbol
        result = GpuMathLowering(op, *info, getOperation())
                     .run(MathFn::fmod, MathPrecision::full, op->getOperands(), remainder.getType());
      else if (auto convert = dyn_cast<ocl::ConvertOp>(op))
        result = GpuMathLowering::isOneInstruction(convert, *info)
                     ? GpuMathLowering(op, *info, getOperation()).convertToInt(convert)
                     : lowerConvert(convert, b, /*roundsToInt=*/false);
      if (!result)
        return;
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    });
  }
};
} // namespace
} // namespace kiln
