// Math functions on the CPU: one instruction where there is one, else a call of Kiln's own library in the form of the
// vector's width (backends/cpu/math). What the library lacks for doubles goes through the launch's table of services,
// one component after another. Half precision is computed in single.
//
//   %y = ocl.math sin (%x) : (vector<4xf32>) -> vector<4xf32>  ==>  %y = llvm.call @kiln.math.sin.f32x4(%x)
//   %y = ocl.math sin native (%x) : (f32) -> f32               ==>  %y = llvm.call @kiln.math.fast.sin.f32(%x)
#include "passes/convert/MathLowering.h"
#include "backends/KernelAbi.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/convert/MathNames.h"
#include <cmath>
#include <numeric>

using namespace mlir;

namespace kiln {
namespace {

using ocl::MathFn;
using ocl::MathPrecision;

class Lowering {
public:
  Lowering(Value place, OpBuilder &builder) : b(builder), loc(place.getLoc()) {}

  // Of whole values, scalars or vectors.
  Value run(MathFn fn, MathPrecision precision, ArrayRef<Value> operands, Type type) {
    Type number = getElementTypeOrSelf(operands[0].getType());
    if (number.isF16())
      return fn == MathFn::nextafter ? halfNextAfter(operands[0], operands[1])
                                     : inSingle(fn, precision, operands, type);
    if (fn == MathFn::sqrt)
      return math::SqrtOp::create(b, loc, operands[0]);
    if (fn == MathFn::rsqrt)
      return reciprocalRoot(operands[0], precision);
    cpu::MathForms forms = cpu::mathForms(fn);
    if (number.isF64() ? forms.twice : forms.single)
      return fromLibrary(fn, precision != MathPrecision::full && forms.fast && number.isF32(), operands, type);
    auto vector = dyn_cast<VectorType>(type);
    if (!vector)
      return fromServices(fn, operands, type);
    Value result = LLVM::PoisonOp::create(b, loc, type);
    for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
      Value index = arith::ConstantIntOp::create(b, loc, lane, 32);
      SmallVector<Value> scalars;
      for (Value operand : operands)
        scalars.push_back(LLVM::ExtractElementOp::create(b, loc, operand, index));
      result = LLVM::InsertElementOp::create(b, loc, result, fromServices(fn, scalars, vector.getElementType()), index);
    }
    return result;
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
  // `count` lanes of a vector from `first` on; past its end some value.
  Value lanes(Value value, int64_t first, int64_t count) {
    int64_t all = lanesOf(value.getType());
    SmallVector<int32_t> mask(count, -1);
    for (int64_t i = 0; i < count && first + i < all; ++i)
      mask[i] = int32_t(first + i);
    return LLVM::ShuffleVectorOp::create(b, loc, value, value, mask);
  }

  // ---- the library --------------------------------------------------------------------------------------------------

  Value inSingle(MathFn fn, MathPrecision precision, ArrayRef<Value> operands, Type type) {
    SmallVector<Value> wide;
    for (Value operand : operands)
      wide.push_back(getElementTypeOrSelf(operand.getType()).isF16()
                         ? arith::ExtFOp::create(b, loc, shaped(b.getF32Type(), operand.getType()), operand)
                         : operand);
    if (!getElementTypeOrSelf(type).isF16())
      return run(fn, precision, wide, type);
    return arith::TruncFOp::create(b, loc, type, run(fn, precision, wide, shaped(b.getF32Type(), type)));
  }

  // With estimate and Newton's step where the built-in says native: what becomes of 0 is nobody's promise there.
  Value reciprocalRoot(Value x, MathPrecision precision) {
    auto flags = arith::FastMathFlags::none;
    if (precision == MathPrecision::native && getElementTypeOrSelf(x.getType()).isF32())
      flags = arith::FastMathFlags::arcp | arith::FastMathFlags::afn | arith::FastMathFlags::contract;
    Value root = math::SqrtOp::create(b, loc, x, flags);
    return arith::DivFOp::create(b, loc, number(1, x.getType()), root, flags);
  }

  // The integers of the library are as wide as its numbers. A vector takes the narrowest form that holds it, or several
  // of the widest.
  Value fromLibrary(MathFn fn, bool fast, ArrayRef<Value> operands, Type type) {
    bool isDouble = getElementTypeOrSelf(operands[0].getType()).isF64();
    SmallVector<Value> wide(operands);
    if (isDouble)
      for (Value &operand : wide)
        if (getElementTypeOrSelf(operand.getType()).isInteger(32))
          operand = arith::ExtSIOp::create(b, loc, shaped(b.getI64Type(), operand.getType()), operand);
    Type element = getElementTypeOrSelf(type);
    bool narrows = isDouble && element.isInteger(32);
    Type made = shaped(narrows ? b.getI64Type() : element, type);
    Value result = inForms(fn, fast, wide, made);
    return narrows ? Value(arith::TruncIOp::create(b, loc, type, result)) : result;
  }
  Value inForms(MathFn fn, bool fast, ArrayRef<Value> operands, Type type) {
    bool isDouble = getElementTypeOrSelf(operands[0].getType()).isF64();
    int64_t count = lanesOf(type);
    if (count == 1 && !isa<VectorType>(type))
      return call(cpu::mathSymbol(fn, fast, isDouble, 1), operands, type);
    auto widths = cpu::mathWidths(isDouble);
    unsigned width = widths.back();
    for (unsigned one : llvm::reverse(widths))
      if (one >= count)
        width = one;
    Type part = VectorType::get({int64_t(width)}, getElementTypeOrSelf(type));
    Value result;
    for (int64_t first = 0; first < count; first += width) {
      SmallVector<Value> parts;
      for (Value operand : operands)
        parts.push_back(count == width ? operand : lanes(operand, first, width));
      Value made = call(cpu::mathSymbol(fn, fast, isDouble, width), parts, part);
      result = result ? join(result, made) : made;
    }
    return lanesOf(result.getType()) == count ? result : lanes(result, 0, count);
  }
  Value join(Value low, Value high) {
    SmallVector<int32_t> mask(lanesOf(low.getType()) + lanesOf(high.getType()));
    std::iota(mask.begin(), mask.end(), 0);
    return LLVM::ShuffleVectorOp::create(b, loc, low, high, mask);
  }
  LLVM::MemoryEffectsAttr noEffects() {
    auto none = LLVM::ModRefInfo::NoModRef;
    return LLVM::MemoryEffectsAttr::get(b.getContext(), {none, none, none, none, none, none});
  }
  Value call(StringRef name, ArrayRef<Value> operands, Type type) {
    auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
    if (!module.lookupSymbol(name)) {
      SmallVector<Type> types = llvm::map_to_vector(operands, [](Value value) { return value.getType(); });
      OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
      auto function = LLVM::LLVMFuncOp::create(top, module.getLoc(), name, LLVM::LLVMFunctionType::get(type, types));
      function.setMemoryEffectsAttr(noEffects());
      function.setNoUnwind(true);
      function.setWillReturn(true);
    }
    auto result = LLVM::CallOp::create(b, loc, TypeRange{type}, name, operands);
    result.setMemoryEffectsAttr(noEffects());
    result.setNoUnwind(true);
    result.setWillReturn(true);
    return result.getResult();
  }

  // The neighbour of a half is none of a float's. Halves of one sign are ordered as their bits are.
  Value halfNextAfter(Value x, Value y) {
    Type bits = shaped(b.getI16Type(), x.getType());
    auto integer = [&](int64_t value) -> Value {
      Attribute one = b.getIntegerAttr(b.getI16Type(), value);
      if (auto vector = dyn_cast<VectorType>(bits))
        return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(vector, one));
      return arith::ConstantOp::create(b, loc, cast<TypedAttr>(one));
    };
    using P = arith::CmpIPredicate;
    Value raw = arith::BitcastOp::create(b, loc, bits, x);
    Value isPositive = arith::CmpIOp::create(b, loc, P::sge, raw, integer(0));
    Value isLess = compare(arith::CmpFPredicate::OLT, x, y);
    Value outward = arith::CmpIOp::create(b, loc, P::eq, isPositive, isLess);
    Value moved = arith::AddIOp::create(b, loc, raw, select(outward, integer(1), integer(-1)));
    Value sign = arith::AndIOp::create(b, loc, arith::BitcastOp::create(b, loc, bits, y), integer(-32768));
    Value smallest = arith::OrIOp::create(b, loc, sign, integer(1));
    Value isZero = compare(arith::CmpFPredicate::OEQ, x, number(0, x.getType()));
    Value next = arith::BitcastOp::create(b, loc, x.getType(), select(isZero, smallest, moved));
    next = select(compare(arith::CmpFPredicate::OEQ, x, y), y, next);
    Value isNan = compare(arith::CmpFPredicate::UNO, x, y);
    return select(isNan, arith::AddFOp::create(b, loc, x, y), next);
  }

  // ---- the services -------------------------------------------------------------------------------------------------

  // One number; the functions that C lacks are formed from those it has.
  Value fromServices(MathFn fn, ArrayRef<Value> operands, Type type) {
    switch (fn) {
    case MathFn::pown:
      return service("pow", {operands[0], arith::SIToFPOp::create(b, loc, type, operands[1])});
    case MathFn::powr:
      return powr(operands[0], operands[1]);
    case MathFn::rootn:
      return rootn(operands[0], operands[1]);
    default:
      return service(stringifyMathFn(fn), operands);
    }
  }

  Value service(StringRef name, ArrayRef<Value> operands) {
    Type type = operands[0].getType();
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    auto function = b.getInsertionBlock()->getParent()->getParentOfType<LLVM::LLVMFuncOp>();
    auto field = [&](Value base, int32_t offset) -> Value {
      Value address = LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{offset});
      auto load = LLVM::LoadOp::create(b, loc, pointer, address, 8);
      load.setInvariant(true); // the table does not change: the loads leave every loop
      return load;
    };
    Value services = field(function.getArgument(1), offsetof(abi::LaunchInfo, services));
    Value callee = field(services, offsetof(abi::Services, math) + indexOf(name) * sizeof(void *));
    SmallVector<Type> types;
    SmallVector<Value> all{callee};
    for (Value operand : operands)
      types.push_back(operand.getType()), all.push_back(operand);
    auto result = LLVM::CallOp::create(b, loc, LLVM::LLVMFunctionType::get(type, types), all);
    result.setMemoryEffectsAttr(noEffects());
    result.setNoUnwind(true);
    result.setWillReturn(true);
    return result.getResult();
  }

  Value number(double value, Type type) {
    auto one = b.getFloatAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type))
      return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(vector, Attribute(one)));
    return arith::ConstantOp::create(b, loc, one);
  }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value select(Value condition, Value yes, Value no) { return arith::SelectOp::create(b, loc, condition, yes, no); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }

  // pow without its exceptions for the sake of integers: powr(x<0, y), powr(0, 0), powr(inf, 0), powr(1, inf) are NaN.
  Value powr(Value x, Value y) {
    Type type = x.getType();
    auto equal = [&](Value value, double what) {
      return compare(arith::CmpFPredicate::OEQ, value, number(what, type));
    };
    Value magnitudeY = math::AbsFOp::create(b, loc, y);
    Value bad = compare(arith::CmpFPredicate::OLT, x, number(0, type));
    bad = either(bad, compare(arith::CmpFPredicate::UNO, x, y));
    bad = either(bad, both(equal(y, 0), either(equal(x, 0), equal(x, INFINITY))));
    bad = either(bad, both(equal(x, 1), equal(magnitudeY, INFINITY)));
    return select(bad, number(NAN, type), service("pow", {math::AbsFOp::create(b, loc, x), y}));
  }

  // The n-th root: an odd root keeps the sign, an even one of a negative number and the 0th are NaN.
  Value rootn(Value x, Value n) {
    Type type = x.getType();
    Value zero = arith::ConstantIntOp::create(b, loc, 0, 32), one = arith::ConstantIntOp::create(b, loc, 1, 32);
    Value odd = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, arith::AndIOp::create(b, loc, n, one), zero);
    Value none = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, n, zero);
    Value magnitude = math::AbsFOp::create(b, loc, x);
    Value root = service("pow", {magnitude, div(number(1, type), arith::SIToFPOp::create(b, loc, type, n))});
    Value signedRoot = select(odd, math::CopySignOp::create(b, loc, root, x), root);
    Value negative = compare(arith::CmpFPredicate::OLT, x, number(0, type));
    Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
    Value even = arith::XOrIOp::create(b, loc, odd, yes);
    return select(either(none, both(negative, even)), number(NAN, type), signedRoot);
  }

  static size_t indexOf(StringRef name) {
    static const llvm::StringMap<size_t> indices = [] {
      llvm::StringMap<size_t> map;
#define KILN_ROW(name) map[#name] = static_cast<size_t>(abi::Math::name);
      KILN_MATH_UNARY(KILN_ROW)
      KILN_MATH_BINARY(KILN_ROW)
#undef KILN_ROW
          return map;
    }();
    return indices.at(name);
  }

  OpBuilder &b;
  Location loc;
};

} // namespace

Value lowerMath(ocl::MathOp op, OpBuilder &builder) {
  return Lowering(op.getResult(), builder)
      .run(op.getFn(), op.getPrecision(), SmallVector<Value>(op.getOperands()), op.getType());
}

Value lowerRemainder(Value x, Value y, OpBuilder &builder) {
  return Lowering(x, builder).run(MathFn::fmod, MathPrecision::full, {x, y}, x.getType());
}

} // namespace kiln
