// Arithmetic on scalars and vectors. Makes division total: in OpenCL the value of x/0 and INT_MIN/-1 is undefined, in
// `arith` the behaviour is, and inactive lanes may execute them.
//
//   %q = OpSDiv %n %d   ==>   %q = arith.divsi %n, (%d == 0 || %n == MIN && %d == -1 ? 1 : %d)
#include "dialects/import/BodyImporter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::import {
namespace {
bool isIntLike(Type type) {
  Type element = getElementTypeOrSelf(type);
  return llvm::isa<IntegerType>(element) && !element.isInteger(1);
}
bool isFloatLike(Type type) { return llvm::isa<FloatType>(getElementTypeOrSelf(type)); }

/// Returns true if the value is a constant and the condition holds for every component.
bool everyComponent(Value value, llvm::function_ref<bool(const llvm::APInt &)> holds) {
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return false;
  if (auto integer = llvm::dyn_cast<IntegerAttr>(attribute))
    return holds(integer.getValue());
  if (auto dense = llvm::dyn_cast<DenseIntElementsAttr>(attribute))
    return llvm::all_of(dense.getValues<llvm::APInt>(), holds);
  return false;
}

/// Integer dot products: whether the sum is added to an accumulator with saturation, and which vectors are unsigned.
/// Components are extended to the result's width first, so that no product overflows.
struct DotForm {
  bool accumulates, unsignedFirst, unsignedSecond;
};
DotForm dotForm(spv::Op op) {
  bool accumulates = op == spv::Op::SDotAccSat || op == spv::Op::UDotAccSat || op == spv::Op::SUDotAccSat;
  bool isUnsigned = op == spv::Op::UDot || op == spv::Op::UDotAccSat;
  return {accumulates, isUnsigned, isUnsigned || op == spv::Op::SUDot || op == spv::Op::SUDotAccSat};
}
} // namespace

/// Returns a divisor for which arith's division is defined with this dividend: 1 for 0 and for -1 under INT_MIN.
/// Returns the divisor itself if it is a constant other than these.
Value BodyImporter::safeDivisor(Value dividend, Value divisor, bool isSigned) {
  if (everyComponent(divisor, [&](const llvm::APInt &d) { return !d.isZero() && !(isSigned && d.isAllOnes()); }))
    return divisor;
  Type type = divisor.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Value bad = make<arith::CmpIOp>(arith::CmpIPredicate::eq, divisor, constantInt(type, 0));
  if (isSigned) {
    Value isMin = make<arith::CmpIOp>(arith::CmpIPredicate::eq, dividend,
                                      constantInt(type, llvm::APInt::getSignedMinValue(width)));
    Value isMinusOne =
        make<arith::CmpIOp>(arith::CmpIPredicate::eq, divisor, constantInt(type, llvm::APInt::getAllOnes(width)));
    bad = make<arith::OrIOp>(bad, make<arith::AndIOp>(isMin, isMinusOne));
  }
  return make<arith::SelectOp>(bad, constantInt(type, 1), divisor);
}

LogicalResult BodyImporter::integerBinary(const Instruction &ins, llvm::function_ref<Value(Value, Value)> build) {
  Values in;
  if (!operands(ins, in, 2))
    return failure();
  if (in[0].getType() != in[1].getType() || !isIntLike(in[0].getType()))
    return mismatch(ins);
  return define(ins, build(in[0], in[1]));
}

LogicalResult BodyImporter::floatBinary(const Instruction &ins, llvm::function_ref<Value(Value, Value)> build) {
  Values in;
  if (!operands(ins, in, 2))
    return failure();
  if (in[0].getType() != in[1].getType() || !isFloatLike(in[0].getType()))
    return mismatch(ins);
  return define(ins, build(in[0], in[1]));
}

arith::IntegerOverflowFlags BodyImporter::overflow(const Instruction &ins) {
  auto flags = arith::IntegerOverflowFlags::none;
  if (module.decoration(ins.result, spv::Decoration::NoSignedWrap))
    flags = flags | arith::IntegerOverflowFlags::nsw;
  if (module.decoration(ins.result, spv::Decoration::NoUnsignedWrap))
    flags = flags | arith::IntegerOverflowFlags::nuw;
  return flags;
}

ImportResult BodyImporter::importArithmetic(const Instruction &ins) {
  auto flags = overflow(ins);
  auto fast = fastMath(ins);
  switch (ins.op) {
  case spv::Op::IAdd:
    return importResult(integerBinary(ins, [&](Value a, Value b) { return make<arith::AddIOp>(a, b, flags); }));
  case spv::Op::ISub:
    return importResult(integerBinary(ins, [&](Value a, Value b) { return make<arith::SubIOp>(a, b, flags); }));
  case spv::Op::IMul:
    return importResult(integerBinary(ins, [&](Value a, Value b) { return make<arith::MulIOp>(a, b, flags); }));
  case spv::Op::UDiv:
    return importResult(
        integerBinary(ins, [&](Value a, Value b) { return make<arith::DivUIOp>(a, safeDivisor(a, b, false)); }));
  case spv::Op::UMod:
    return importResult(
        integerBinary(ins, [&](Value a, Value b) { return make<arith::RemUIOp>(a, safeDivisor(a, b, false)); }));
  case spv::Op::SDiv:
    return importResult(
        integerBinary(ins, [&](Value a, Value b) { return make<arith::DivSIOp>(a, safeDivisor(a, b, true)); }));
  case spv::Op::SRem:
    return importResult(
        integerBinary(ins, [&](Value a, Value b) { return make<arith::RemSIOp>(a, safeDivisor(a, b, true)); }));
  case spv::Op::SMod: // the remainder with the divisor's sign
    return importResult(integerBinary(ins, [&](Value a, Value b) {
      Value zero = constantInt(a.getType(), 0);
      Value rem = make<arith::RemSIOp>(a, safeDivisor(a, b, true));
      Value isInexact = make<arith::CmpIOp>(arith::CmpIPredicate::ne, rem, zero);
      Value differs = make<arith::CmpIOp>(arith::CmpIPredicate::slt, make<arith::XOrIOp>(rem, b), zero);
      Value moved = make<arith::AddIOp>(rem, b);
      return make<arith::SelectOp>(make<arith::AndIOp>(isInexact, differs), moved, rem);
    }));
  case spv::Op::SNegate: {
    Values in;
    if (!operands(ins, in, 1))
      return ImportResult::Failure;
    if (!isIntLike(in[0].getType()))
      return importResult(mismatch(ins));
    return importResult(define(ins, make<arith::SubIOp>(constantInt(in[0].getType(), 0), in[0], flags)));
  }
  case spv::Op::FAdd:
    return importResult(floatBinary(ins, [&](Value a, Value b) { return make<arith::AddFOp>(a, b, fast); }));
  case spv::Op::FSub:
    return importResult(floatBinary(ins, [&](Value a, Value b) { return make<arith::SubFOp>(a, b, fast); }));
  case spv::Op::FMul:
    return importResult(floatBinary(ins, [&](Value a, Value b) { return make<arith::MulFOp>(a, b, fast); }));
  case spv::Op::FDiv:
    return importResult(floatBinary(ins, [&](Value a, Value b) { return make<arith::DivFOp>(a, b, fast); }));
  case spv::Op::FRem:
    return importResult(floatBinary(ins, [&](Value a, Value b) { return mathCall(ocl::MathFn::fmod, {a, b}); }));
  case spv::Op::FMod: // the remainder with the divisor's sign
    return importResult(floatBinary(ins, [&](Value a, Value b) {
      Value zero = constantFloat(a.getType(), 0);
      Value rem = mathCall(ocl::MathFn::fmod, {a, b});
      Value isInexact = make<arith::CmpFOp>(arith::CmpFPredicate::UNE, rem, zero);
      Value remNegative = make<arith::CmpFOp>(arith::CmpFPredicate::OLT, rem, zero);
      Value divisorNegative = make<arith::CmpFOp>(arith::CmpFPredicate::OLT, b, zero);
      Value differs = make<arith::XOrIOp>(remNegative, divisorNegative);
      Value moved = make<arith::AddFOp>(rem, b);
      return make<arith::SelectOp>(make<arith::AndIOp>(isInexact, differs), moved, rem);
    }));
  case spv::Op::FNegate: {
    Values in;
    if (!operands(ins, in, 1))
      return ImportResult::Failure;
    if (!isFloatLike(in[0].getType()))
      return importResult(mismatch(ins));
    return importResult(define(ins, make<arith::NegFOp>(in[0], fast)));
  }
  case spv::Op::VectorTimesScalar: {
    Values in;
    if (!operands(ins, in, 2))
      return ImportResult::Failure;
    auto vector = llvm::dyn_cast<VectorType>(in[0].getType());
    if (!vector || !isFloatLike(vector) || in[1].getType() != vector.getElementType())
      return importResult(mismatch(ins));
    return importResult(define(ins, make<arith::MulFOp>(in[0], splat(in[1], vector), fast)));
  }
  case spv::Op::Dot: {
    Values in;
    if (!operands(ins, in, 2))
      return ImportResult::Failure;
    if (in[0].getType() != in[1].getType() || !isFloatLike(in[0].getType()))
      return importResult(mismatch(ins));
    return importResult(define(ins, dot(in[0], in[1], fast)));
  }
  case spv::Op::SDot:
  case spv::Op::UDot:
  case spv::Op::SUDot:
  case spv::Op::SDotAccSat:
  case spv::Op::UDotAccSat:
  case spv::Op::SUDotAccSat: {
    auto [accumulates, unsignedFirst, unsignedSecond] = dotForm(ins.op);
    size_t count = accumulates ? 3 : 2;
    Values in;
    Type type = resultType(ins);
    if (!type || !operands(ins, in, count))
      return ImportResult::Failure;
    if (ins.args.size() > count) { // a packed vector format: i32 operands with four i8 components
      if (ins.args[count] != static_cast<uint32_t>(spv::PackedVectorFormat::PackedVectorFormat4x8Bit))
        return error(ins) << "has a packed vector format that does not exist", ImportResult::Failure;
      Type unpacked = VectorType::get(4, builder.getI8Type());
      if (!in[0].getType().isInteger(32) || !in[1].getType().isInteger(32))
        return importResult(mismatch(ins));
      in[0] = bitcast(in[0], unpacked);
      in[1] = bitcast(in[1], unpacked);
    }
    auto vector = llvm::dyn_cast<VectorType>(in[0].getType());
    if (!vector || !isIntLike(vector) || !llvm::isa<IntegerType>(type) || in[1].getType() != vector ||
        vector.getElementTypeBitWidth() > type.getIntOrFloatBitWidth() || (accumulates && in[2].getType() != type))
      return importResult(mismatch(ins));
    Type wide = VectorType::get(vector.getShape(), type);
    auto extend = [&](Value v, bool isUnsigned) -> Value {
      return v.getType() == wide ? v : isUnsigned ? make<arith::ExtUIOp>(wide, v) : make<arith::ExtSIOp>(wide, v);
    };
    Value products = make<arith::MulIOp>(extend(in[0], unsignedFirst), extend(in[1], unsignedSecond));
    Value sum;
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      Value product = make<vector::ExtractOp>(products, i);
      sum = sum ? make<arith::AddIOp>(sum, product) : product;
    }
    return importResult(define(ins, accumulates ? addSaturated(sum, in[2], !unsignedFirst) : sum));
  }
  case spv::Op::IAddCarry:
  case spv::Op::ISubBorrow:
  case spv::Op::UMulExtended:
  case spv::Op::SMulExtended:
    return importResult(extendedResult(ins));
  default:
    return ImportResult::NotHandled;
  }
}

/// Adds components in ascending order, so that the rounding does not depend on a vector width.
Value BodyImporter::dot(Value a, Value b, arith::FastMathFlags fast) {
  auto vector = llvm::dyn_cast<VectorType>(a.getType());
  if (!vector)
    return make<arith::MulFOp>(a, b, fast);
  Value products = make<arith::MulFOp>(a, b, fast);
  Value sum;
  for (int64_t i = 0; i < vector.getNumElements(); ++i) {
    Value product = make<vector::ExtractOp>(products, i);
    sum = sum ? make<arith::AddFOp>(sum, product, fast) : product;
  }
  return sum;
}

/// Instructions whose result is a struct: low and high half, or result and carry.
LogicalResult BodyImporter::extendedResult(const Instruction &ins) {
  Values in;
  Type type = resultType(ins);
  if (!type || !operands(ins, in, 2))
    return failure();
  Type operand = in[0].getType();
  auto record = llvm::dyn_cast<LLVM::LLVMStructType>(type);
  if (!record || record.getBody().size() != 2 || record.getBody()[0] != operand || record.getBody()[1] != operand ||
      in[1].getType() != operand || !isIntLike(operand))
    return mismatch(ins);
  Value low, high;
  switch (ins.op) {
  case spv::Op::IAddCarry:
    low = make<arith::AddIOp>(in[0], in[1]);
    high = make<arith::ExtUIOp>(operand, make<arith::CmpIOp>(arith::CmpIPredicate::ult, low, in[0]));
    break;
  case spv::Op::ISubBorrow:
    low = make<arith::SubIOp>(in[0], in[1]);
    high = make<arith::ExtUIOp>(operand, make<arith::CmpIOp>(arith::CmpIPredicate::ult, in[0], in[1]));
    break;
  case spv::Op::UMulExtended: {
    auto product = arith::MulUIExtendedOp::create(builder, loc, in[0], in[1]);
    low = product.getLow();
    high = product.getHigh();
    break;
  }
  default: {
    auto product = arith::MulSIExtendedOp::create(builder, loc, in[0], in[1]);
    low = product.getLow();
    high = product.getHigh();
    break;
  }
  }
  Value result = LLVM::UndefOp::create(builder, loc, type);
  result = LLVM::InsertValueOp::create(builder, loc, result, low, ArrayRef<int64_t>{0});
  return define(ins, LLVM::InsertValueOp::create(builder, loc, result, high, ArrayRef<int64_t>{1}));
}

Value BodyImporter::mathCall(ocl::MathFn fn, ValueRange operands, ocl::MathPrecision precision, Type result) {
  return ocl::MathOp::create(builder, loc, result ? result : operands[0].getType(),
                             ocl::MathFnAttr::get(builder.getContext(), fn),
                             ocl::MathPrecisionAttr::get(builder.getContext(), precision), operands);
}

} // namespace kiln::import
