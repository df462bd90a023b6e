// OpenCL.std's common and geometric functions, bitselect and select.
#include "dialects/import/BodyImporter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::import {
namespace {
using FloatP = arith::CmpFPredicate;
bool isFloat(Type type) { return llvm::isa<FloatType>(getElementTypeOrSelf(type)); }
} // namespace

Value BodyImporter::smaller(Value x, Value y) {
  return make<arith::SelectOp>(make<arith::CmpFOp>(FloatP::OLT, y, x), y, x);
}
Value BodyImporter::larger(Value x, Value y) {
  return make<arith::SelectOp>(make<arith::CmpFOp>(FloatP::OLT, x, y), y, x);
}

ImportResult BodyImporter::extCommon(const Instruction &ins, spv::Std fn) {
  auto fast = fastMath(ins);
  switch (fn) {
  case spv::Std::degrees:
  case spv::Std::radians: {
    double factor = fn == spv::Std::degrees ? 57.295779513082320877 : 0.017453292519943295769;
    return importResult(
        floatUnary(ins, [&](Value x) { return make<arith::MulFOp>(x, constantFloat(x.getType(), factor), fast); }));
  }
  case spv::Std::sign: // 1, -1, or x itself for zeros; 0 for NaN
    return importResult(floatUnary(ins, [&](Value x) {
      Value zero = constantFloat(x.getType(), 0);
      Value unit = make<math::CopySignOp>(constantFloat(x.getType(), 1), x);
      Value isZero = make<arith::CmpFOp>(FloatP::OEQ, x, zero);
      Value result = make<arith::SelectOp>(isZero, x, unit);
      return make<arith::SelectOp>(make<arith::CmpFOp>(FloatP::UNO, x, x), zero, result);
    }));
  case spv::Std::fmin_common:
    return importResult(extFloatBinary(ins, [&](Value x, Value y) { return smaller(x, y); }));
  case spv::Std::fmax_common:
    return importResult(extFloatBinary(ins, [&](Value x, Value y) { return larger(x, y); }));
  case spv::Std::fclamp:
    return importResult(
        floatTernary(ins, [&](Value x, Value low, Value high) { return smaller(larger(x, low), high); }));
  case spv::Std::mix:
    return importResult(floatTernary(ins, [&](Value x, Value y, Value a) {
      auto flags = fast | arith::FastMathFlags::contract; // the specification requires no intermediate rounding
      return make<arith::AddFOp>(x, make<arith::MulFOp>(make<arith::SubFOp>(y, x, fast), a, flags), flags);
    }));
  case spv::Std::step:
    return importResult(extFloatBinary(ins, [&](Value edge, Value x) {
      Value isBelow = make<arith::CmpFOp>(FloatP::OLT, x, edge);
      return make<arith::SelectOp>(isBelow, constantFloat(x.getType(), 0), constantFloat(x.getType(), 1));
    }));
  case spv::Std::smoothstep:
    return importResult(floatTernary(ins, [&](Value edge0, Value edge1, Value x) {
      Type type = x.getType();
      Value ratio = make<arith::DivFOp>(make<arith::SubFOp>(x, edge0), make<arith::SubFOp>(edge1, edge0));
      Value t = smaller(larger(ratio, constantFloat(type, 0)), constantFloat(type, 1));
      Value slope = make<arith::SubFOp>(constantFloat(type, 3), make<arith::MulFOp>(constantFloat(type, 2), t));
      return make<arith::MulFOp>(make<arith::MulFOp>(t, t), slope);
    }));
  case spv::Std::cross:
  case spv::Std::distance:
  case spv::Std::length:
  case spv::Std::normalize:
  case spv::Std::fast_distance:
  case spv::Std::fast_length:
  case spv::Std::fast_normalize:
    return importResult(geometric(ins, fn));
  case spv::Std::bitselect:
  case spv::Std::select:
    return importResult(select(ins, fn == spv::Std::bitselect));
  default:
    return ImportResult::NotHandled;
  }
}

/// bitselect selects bits; select selects components by the sign of c for vectors, by c != 0 for scalars.
LogicalResult BodyImporter::select(const Instruction &ins, bool bitwise) {
  Values in;
  if (!operands(ins, in, 3, 2))
    return failure();
  Type type = in[0].getType(), element = getElementTypeOrSelf(type);
  if ((!llvm::isa<FloatType>(element) && !llvm::isa<IntegerType>(element)) || element.isInteger(1) ||
      in[1].getType() != type)
    return mismatch(ins);
  Type bits = bitsType(type);
  if (bitwise ? in[2].getType() != type : in[2].getType() != bits)
    return mismatch(ins);
  if (!bitwise) {
    auto predicate = llvm::isa<VectorType>(type) ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ne;
    Value condition = make<arith::CmpIOp>(predicate, in[2], constantInt(bits, 0));
    return define(ins, make<arith::SelectOp>(condition, in[1], in[0]));
  }
  for (Value &operand : in)
    if (type != bits)
      operand = make<arith::BitcastOp>(bits, operand);
  Value ones = constantInt(bits, llvm::APInt::getAllOnes(element.getIntOrFloatBitWidth()));
  Value fromA = make<arith::AndIOp>(in[0], make<arith::XOrIOp>(in[2], ones));
  Value result = make<arith::OrIOp>(fromA, make<arith::AndIOp>(in[1], in[2]));
  return define(ins, type == bits ? result : make<arith::BitcastOp>(type, result));
}

LogicalResult BodyImporter::geometric(const Instruction &ins, spv::Std fn) {
  bool two = fn == spv::Std::cross || fn == spv::Std::distance || fn == spv::Std::fast_distance;
  Values in;
  if (!operands(ins, in, two ? 2 : 1, 2))
    return failure();
  Type type = in[0].getType();
  if (!isFloat(type) || (two && in[1].getType() != type))
    return mismatch(ins);
  switch (fn) {
  case spv::Std::cross:
    return define(ins, cross(in[0], in[1]));
  case spv::Std::distance:
    return define(ins, length(make<arith::SubFOp>(in[0], in[1])));
  case spv::Std::length:
    return define(ins, length(in[0]));
  case spv::Std::normalize:
    return define(ins, normalize(in[0]));
  case spv::Std::fast_distance:
  case spv::Std::fast_length: {
    Value v = two ? make<arith::SubFOp>(in[0], in[1]) : in[0];
    return define(ins,
                  mathCall(ocl::MathFn::sqrt, {dot(v, v, arith::FastMathFlags::contract)}, ocl::MathPrecision::half));
  }
  default: { // fast_normalize: the result for a zero vector is the zero vector
    Value square = dot(in[0], in[0], arith::FastMathFlags::contract);
    Value isZero = make<arith::CmpFOp>(FloatP::OEQ, square, constantFloat(square.getType(), 0));
    Value scale = mathCall(ocl::MathFn::rsqrt, {square}, ocl::MathPrecision::half);
    scale = make<arith::SelectOp>(isZero, constantFloat(square.getType(), 1), scale);
    return define(ins, make<arith::MulFOp>(in[0], splat(scale, type)));
  }
  }
}

/// The cross product; null if the vectors have neither three nor four components. A fourth component is 0.
Value BodyImporter::cross(Value a, Value b) {
  auto vector = llvm::dyn_cast<VectorType>(a.getType());
  if (!vector || (vector.getNumElements() != 3 && vector.getNumElements() != 4))
    return {};
  auto at = [&](Value v, int64_t i) { return make<vector::ExtractOp>(v, i); };
  SmallVector<Value> parts;
  for (int64_t i = 0; i < 3; ++i) {
    int64_t j = (i + 1) % 3, k = (i + 2) % 3;
    parts.push_back(
        make<arith::SubFOp>(make<arith::MulFOp>(at(a, j), at(b, k)), make<arith::MulFOp>(at(a, k), at(b, j))));
  }
  if (vector.getNumElements() == 4)
    parts.push_back(constantFloat(vector.getElementType(), 0));
  return make<vector::FromElementsOp>(vector, parts);
}

/// The largest component by magnitude; NaN only if all are.
Value BodyImporter::largestMagnitude(Value v) {
  Value magnitudes = make<math::AbsFOp>(v);
  auto vector = llvm::dyn_cast<VectorType>(v.getType());
  if (!vector)
    return magnitudes;
  Value largest;
  for (int64_t i = 0; i < vector.getNumElements(); ++i) {
    Value component = make<vector::ExtractOp>(magnitudes, i);
    largest = largest ? make<arith::MaxNumFOp>(largest, component) : component;
  }
  return largest;
}

/// Multiplies a vector by a power of two so that its squares neither overflow nor underflow; `back` is the inverse
/// factor. The exponent range of 16-bit floats is too small for that, so callers widen them.
Value BodyImporter::rescale(Value v, Value largest, Value *back) {
  Type scalar = largest.getType();
  bool isDouble = scalar.isF64();
  auto power = [&](int exponent) { return constantFloat(scalar, std::ldexp(1.0, exponent)); };
  int limit = isDouble ? 500 : 60, down = isDouble ? -600 : -70, up = isDouble ? 700 : 90;
  Value isLarge = make<arith::CmpFOp>(FloatP::OGT, largest, power(limit));
  Value isSmall = make<arith::CmpFOp>(FloatP::OLT, largest, power(-limit));
  Value one = constantFloat(scalar, 1);
  Value scale = make<arith::SelectOp>(isLarge, power(down), make<arith::SelectOp>(isSmall, power(up), one));
  if (back)
    *back = make<arith::SelectOp>(isLarge, power(-down), make<arith::SelectOp>(isSmall, power(-up), one));
  return make<arith::MulFOp>(v, splat(scale, v.getType()));
}

/// Extends 16-bit floats to 32 bits.
Value BodyImporter::widenHalf(Value v) {
  if (!getElementTypeOrSelf(v.getType()).isF16())
    return v;
  auto vector = llvm::dyn_cast<VectorType>(v.getType());
  Type wide = builder.getF32Type();
  return make<arith::ExtFOp>(vector ? Type(VectorType::get(vector.getShape(), wide)) : wide, v);
}

Value BodyImporter::length(Value v) {
  bool isHalf = getElementTypeOrSelf(v.getType()).isF16();
  v = widenHalf(v);
  Value largest = largestMagnitude(v), back;
  Value scaled = isHalf ? v : rescale(v, largest, &back);
  Value root = mathCall(ocl::MathFn::sqrt, {dot(scaled, scaled, arith::FastMathFlags::contract)});
  if (isHalf)
    return make<arith::TruncFOp>(builder.getF16Type(), root);
  root = make<arith::MulFOp>(root, back);
  // Infinite even if another component is NaN, as for hypot.
  Value isInfinite = classify(spv::Op::IsInf, largest);
  return make<arith::SelectOp>(isInfinite, largest, root);
}

/// In a vector with infinities, these count as 1 with their sign and all other components as 0. Zero stays zero.
Value BodyImporter::normalize(Value v) {
  Type narrow = v.getType();
  v = widenHalf(v);
  Type type = v.getType();
  Value infinite = classify(spv::Op::IsInf, v);
  Value anyInfinite = splat(classify(spv::Op::IsInf, largestMagnitude(v)), infinite.getType());
  Value units = make<math::CopySignOp>(constantFloat(type, 1), v);
  Value zeros = make<math::CopySignOp>(constantFloat(type, 0), v);
  // A NaN component stays NaN.
  Value finite = make<arith::SelectOp>(classify(spv::Op::IsNan, v), v, zeros);
  Value replaced = make<arith::SelectOp>(infinite, units, finite);
  Value usable = make<arith::SelectOp>(anyInfinite, replaced, v);
  Value back, scaled = narrow == type ? rescale(usable, largestMagnitude(usable), &back) : usable;
  Value square = dot(scaled, scaled, arith::FastMathFlags::contract);
  Value isZero = make<arith::CmpFOp>(FloatP::OEQ, square, constantFloat(square.getType(), 0));
  Value root = make<arith::SelectOp>(isZero, constantFloat(square.getType(), 1), mathCall(ocl::MathFn::sqrt, {square}));
  if (narrow != type)
    return make<arith::TruncFOp>(narrow, make<arith::DivFOp>(scaled, splat(root, type)));
  // Scaling down costs a component far below the largest bits that its quotient needs. So the original vector is
  // divided in that case, with both sides quartered, because the length itself may exceed the largest number.
  Value quarter = constantFloat(root.getType(), 0.25);
  Value isLarge = make<arith::CmpFOp>(FloatP::OGT, back, constantFloat(root.getType(), 1));
  Value length = make<arith::SelectOp>(isLarge, make<arith::MulFOp>(root, make<arith::MulFOp>(back, quarter)), root);
  Value quartered = make<arith::MulFOp>(usable, splat(quarter, type));
  Value direction = make<arith::SelectOp>(splat(isLarge, infinite.getType()), quartered, scaled);
  return make<arith::DivFOp>(direction, splat(length, type));
}

} // namespace kiln::import
