// Arithmetic on scalars and vectors. Makes division total: in OpenCL the value of x/0 and INT_MIN/-1 is undefined, in
// `arith` the behaviour is, and inactive lanes may execute them.
//
//   %q = OpSDiv %n %d   ==>   %q = arith.divsi %n, (%d == 0 || %n == MIN && %d == -1 ? 1 : %d)
#include "dialects/import/Arithmetic.h"
#include "dialects/import/Conversions.h"
#include "dialects/import/ExtInteger.h"
#include "dialects/import/Instructions.h"
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

/// Returns a divisor for which arith's division is defined with this dividend: 1 for 0 and for -1 under INT_MIN.
/// Returns the divisor itself if it is a constant other than these.
Value safeDivisor(Body &body, Value dividend, Value divisor, bool isSigned) {
  if (everyComponent(divisor, [&](const llvm::APInt &d) { return !d.isZero() && !(isSigned && d.isAllOnes()); }))
    return divisor;
  Type type = divisor.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Value bad = body.make<arith::CmpIOp>(arith::CmpIPredicate::eq, divisor, body.constantInt(type, 0));
  if (isSigned) {
    Value isMin = body.make<arith::CmpIOp>(arith::CmpIPredicate::eq, dividend,
                                           body.constantInt(type, llvm::APInt::getSignedMinValue(width)));
    Value isMinusOne = body.make<arith::CmpIOp>(arith::CmpIPredicate::eq, divisor,
                                                body.constantInt(type, llvm::APInt::getAllOnes(width)));
    bad = body.make<arith::OrIOp>(bad, body.make<arith::AndIOp>(isMin, isMinusOne));
  }
  return body.make<arith::SelectOp>(bad, body.constantInt(type, 1), divisor);
}

template <typename Op> LogicalResult wrapping(Body &body, const Instruction &ins) {
  return integerBinary(body, ins, [&](Value a, Value b) { return body.make<Op>(a, b, overflow(body, ins)); });
}

template <typename Op, bool isSigned> LogicalResult division(Body &body, const Instruction &ins) {
  return integerBinary(body, ins,
                       [&](Value a, Value b) { return body.make<Op>(a, safeDivisor(body, a, b, isSigned)); });
}

template <typename Op> LogicalResult floating(Body &body, const Instruction &ins) {
  return floatBinary(body, ins, [&](Value a, Value b) { return body.make<Op>(a, b, body.fastMath(ins)); });
}

LogicalResult floatRemainder(Body &body, const Instruction &ins) {
  return floatBinary(body, ins, [&](Value a, Value b) { return mathCall(body, ocl::MathFn::fmod, {a, b}); });
}

/// The remainder with the divisor's sign.
LogicalResult signedModulo(Body &body, const Instruction &ins) {
  return integerBinary(body, ins, [&](Value a, Value b) {
    Value zero = body.constantInt(a.getType(), 0);
    Value rem = body.make<arith::RemSIOp>(a, safeDivisor(body, a, b, true));
    Value isInexact = body.make<arith::CmpIOp>(arith::CmpIPredicate::ne, rem, zero);
    Value differs = body.make<arith::CmpIOp>(arith::CmpIPredicate::slt, body.make<arith::XOrIOp>(rem, b), zero);
    Value moved = body.make<arith::AddIOp>(rem, b);
    return body.make<arith::SelectOp>(body.make<arith::AndIOp>(isInexact, differs), moved, rem);
  });
}

LogicalResult negateInteger(Body &body, const Instruction &ins) {
  const auto flags = overflow(body, ins);
  Values in;
  if (!body.operands(ins, in, 1))
    return failure();
  if (!isIntLike(in[0].getType()))
    return body.mismatch(ins);
  return body.define(ins, body.make<arith::SubIOp>(body.constantInt(in[0].getType(), 0), in[0], flags));
}

/// The remainder with the divisor's sign.
LogicalResult floatModulo(Body &body, const Instruction &ins) {
  return floatBinary(body, ins, [&](Value a, Value b) {
    Value zero = body.constantFloat(a.getType(), 0);
    Value rem = mathCall(body, ocl::MathFn::fmod, {a, b});
    Value isInexact = body.make<arith::CmpFOp>(arith::CmpFPredicate::UNE, rem, zero);
    Value remNegative = body.make<arith::CmpFOp>(arith::CmpFPredicate::OLT, rem, zero);
    Value divisorNegative = body.make<arith::CmpFOp>(arith::CmpFPredicate::OLT, b, zero);
    Value differs = body.make<arith::XOrIOp>(remNegative, divisorNegative);
    Value moved = body.make<arith::AddFOp>(rem, b);
    return body.make<arith::SelectOp>(body.make<arith::AndIOp>(isInexact, differs), moved, rem);
  });
}

LogicalResult negateFloat(Body &body, const Instruction &ins) {
  const auto fast = body.fastMath(ins);
  Values in;
  if (!body.operands(ins, in, 1))
    return failure();
  if (!isFloatLike(in[0].getType()))
    return body.mismatch(ins);
  return body.define(ins, body.make<arith::NegFOp>(in[0], fast));
}

LogicalResult timesScalar(Body &body, const Instruction &ins) {
  const auto fast = body.fastMath(ins);
  Values in;
  if (!body.operands(ins, in, 2))
    return failure();
  auto vector = llvm::dyn_cast<VectorType>(in[0].getType());
  if (!vector || !isFloatLike(vector) || in[1].getType() != vector.getElementType())
    return body.mismatch(ins);
  return body.define(ins, body.make<arith::MulFOp>(in[0], body.splat(in[1], vector), fast));
}

LogicalResult dotProduct(Body &body, const Instruction &ins) {
  // ContractionOff is about separate instructions; this one's error bound allows fused operations.
  const auto fast = body.fastMath(ins) | arith::FastMathFlags::contract;
  Values in;
  if (!body.operands(ins, in, 2))
    return failure();
  if (in[0].getType() != in[1].getType() || !isFloatLike(in[0].getType()))
    return body.mismatch(ins);
  return body.define(ins, dot(body, in[0], in[1], fast));
}

LogicalResult integerDot(Body &body, const Instruction &ins) {
  auto [accumulates, unsignedFirst, unsignedSecond] = dotForm(ins.op);
  size_t count = accumulates ? 3 : 2;
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, count))
    return failure();
  if (ins.args.size() > count) { // a packed vector format: i32 operands with four i8 components
    if (ins.args[count] != static_cast<uint32_t>(spv::PackedVectorFormat::PackedVectorFormat4x8Bit))
      return body.error(ins) << "has a packed vector format that does not exist";
    Type unpacked = VectorType::get(4, body.builder.getI8Type());
    if (!in[0].getType().isInteger(32) || !in[1].getType().isInteger(32))
      return body.mismatch(ins);
    in[0] = bitcast(body, in[0], unpacked);
    in[1] = bitcast(body, in[1], unpacked);
  }
  auto vector = llvm::dyn_cast<VectorType>(in[0].getType());
  if (!vector || !isIntLike(vector) || !llvm::isa<IntegerType>(type) || in[1].getType() != vector ||
      vector.getElementTypeBitWidth() > type.getIntOrFloatBitWidth() || (accumulates && in[2].getType() != type))
    return body.mismatch(ins);
  Type wide = VectorType::get(vector.getShape(), type);
  auto extend = [&](Value v, bool isUnsigned) -> Value {
    return v.getType() == wide ? v
           : isUnsigned        ? body.make<arith::ExtUIOp>(wide, v)
                               : body.make<arith::ExtSIOp>(wide, v);
  };
  Value products = body.make<arith::MulIOp>(extend(in[0], unsignedFirst), extend(in[1], unsignedSecond));
  Value sum;
  for (int64_t i = 0; i < vector.getNumElements(); ++i) {
    Value product = body.make<vector::ExtractOp>(products, i);
    sum = sum ? body.make<arith::AddIOp>(sum, product) : product;
  }
  return body.define(ins, accumulates ? addSaturated(body, sum, in[2], !unsignedFirst) : sum);
}

/// Instructions whose result is a struct: low and high half, or result and carry.
LogicalResult extendedResult(Body &body, const Instruction &ins) {
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, 2))
    return failure();
  Type operand = in[0].getType();
  auto record = llvm::dyn_cast<LLVM::LLVMStructType>(type);
  if (!record || record.getBody().size() != 2 || record.getBody()[0] != operand || record.getBody()[1] != operand ||
      in[1].getType() != operand || !isIntLike(operand))
    return body.mismatch(ins);
  Value low, high;
  switch (ins.op) {
  case spv::Op::IAddCarry:
    low = body.make<arith::AddIOp>(in[0], in[1]);
    high = body.make<arith::ExtUIOp>(operand, body.make<arith::CmpIOp>(arith::CmpIPredicate::ult, low, in[0]));
    break;
  case spv::Op::ISubBorrow:
    low = body.make<arith::SubIOp>(in[0], in[1]);
    high = body.make<arith::ExtUIOp>(operand, body.make<arith::CmpIOp>(arith::CmpIPredicate::ult, in[0], in[1]));
    break;
  case spv::Op::UMulExtended: {
    auto product = arith::MulUIExtendedOp::create(body.builder, body.loc, in[0], in[1]);
    low = product.getLow();
    high = product.getHigh();
    break;
  }
  default: {
    auto product = arith::MulSIExtendedOp::create(body.builder, body.loc, in[0], in[1]);
    low = product.getLow();
    high = product.getHigh();
    break;
  }
  }
  Value result = LLVM::UndefOp::create(body.builder, body.loc, type);
  result = LLVM::InsertValueOp::create(body.builder, body.loc, result, low, ArrayRef<int64_t>{0});
  return body.define(ins, LLVM::InsertValueOp::create(body.builder, body.loc, result, high, ArrayRef<int64_t>{1}));
}
} // namespace

LogicalResult integerBinary(Body &body, const Instruction &ins, llvm::function_ref<Value(Value, Value)> build) {
  Values in;
  if (!body.operands(ins, in, 2))
    return failure();
  if (in[0].getType() != in[1].getType() || !isIntLike(in[0].getType()))
    return body.mismatch(ins);
  return body.define(ins, build(in[0], in[1]));
}

LogicalResult floatBinary(Body &body, const Instruction &ins, llvm::function_ref<Value(Value, Value)> build) {
  Values in;
  if (!body.operands(ins, in, 2))
    return failure();
  if (in[0].getType() != in[1].getType() || !isFloatLike(in[0].getType()))
    return body.mismatch(ins);
  return body.define(ins, build(in[0], in[1]));
}

arith::IntegerOverflowFlags overflow(Body &body, const Instruction &ins) {
  auto flags = arith::IntegerOverflowFlags::none;
  if (body.module.decoration(ins.result, spv::Decoration::NoSignedWrap))
    flags = flags | arith::IntegerOverflowFlags::nsw;
  if (body.module.decoration(ins.result, spv::Decoration::NoUnsignedWrap))
    flags = flags | arith::IntegerOverflowFlags::nuw;
  return flags;
}

/// Adds components in ascending order, so that the rounding does not depend on a vector width.
Value dot(Body &body, Value a, Value b, arith::FastMathFlags fast) {
  auto vector = llvm::dyn_cast<VectorType>(a.getType());
  if (!vector)
    return body.make<arith::MulFOp>(a, b, fast);
  Value products = body.make<arith::MulFOp>(a, b, fast);
  Value sum;
  for (int64_t i = 0; i < vector.getNumElements(); ++i) {
    Value product = body.make<vector::ExtractOp>(products, i);
    sum = sum ? body.make<arith::AddFOp>(sum, product, fast) : product;
  }
  return sum;
}

Value mathCall(Body &body, ocl::MathFn fn, ValueRange operands, ocl::MathPrecision precision, Type result) {
  return ocl::MathOp::create(body.builder, body.loc, result ? result : operands[0].getType(),
                             ocl::MathFnAttr::get(body.builder.getContext(), fn),
                             ocl::MathPrecisionAttr::get(body.builder.getContext(), precision), operands);
}

void addArithmetic(InstructionTable &table) {
  table.add(spv::Op::IAdd, wrapping<arith::AddIOp>);
  table.add(spv::Op::ISub, wrapping<arith::SubIOp>);
  table.add(spv::Op::IMul, wrapping<arith::MulIOp>);
  table.add(spv::Op::UDiv, division<arith::DivUIOp, false>);
  table.add(spv::Op::UMod, division<arith::RemUIOp, false>);
  table.add(spv::Op::SDiv, division<arith::DivSIOp, true>);
  table.add(spv::Op::SRem, division<arith::RemSIOp, true>);
  table.add(spv::Op::SMod, signedModulo);
  table.add(spv::Op::SNegate, negateInteger);
  table.add(spv::Op::FAdd, floating<arith::AddFOp>);
  table.add(spv::Op::FSub, floating<arith::SubFOp>);
  table.add(spv::Op::FMul, floating<arith::MulFOp>);
  table.add(spv::Op::FDiv, floating<arith::DivFOp>);
  table.add(spv::Op::FRem, floatRemainder);
  table.add(spv::Op::FMod, floatModulo);
  table.add(spv::Op::FNegate, negateFloat);
  table.add(spv::Op::VectorTimesScalar, timesScalar);
  table.add(spv::Op::Dot, dotProduct);
  table.add(
      {spv::Op::SDot, spv::Op::UDot, spv::Op::SUDot, spv::Op::SDotAccSat, spv::Op::UDotAccSat, spv::Op::SUDotAccSat},
      integerDot);
  table.add({spv::Op::IAddCarry, spv::Op::ISubBorrow, spv::Op::UMulExtended, spv::Op::SMulExtended}, extendedResult);
}

} // namespace kiln::import
