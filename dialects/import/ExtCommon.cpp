// OpenCL.std's common and geometric functions, bitselect and select.
#include "dialects/import/Arithmetic.h"
#include "dialects/import/ExtMath.h"
#include "dialects/import/Relations.h"
#include "dialects/import/Std.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::import {
namespace {
using FloatP = arith::CmpFPredicate;
bool isFloat(Type type) { return llvm::isa<FloatType>(getElementTypeOrSelf(type)); }

Value smaller(Body &body, Value x, Value y) {
  return body.make<arith::SelectOp>(body.make<arith::CmpFOp>(FloatP::OLT, y, x), y, x);
}

Value larger(Body &body, Value x, Value y) {
  return body.make<arith::SelectOp>(body.make<arith::CmpFOp>(FloatP::OLT, x, y), y, x);
}

LogicalResult scaleAngle(Body &body, const Instruction &ins) {
  const auto fast = body.fastMath(ins);
  const spv::Std fn = stdFunction(ins);
  double factor = fn == spv::Std::degrees ? 57.295779513082320877 : 0.017453292519943295769;
  return floatUnary(
      body, ins, [&](Value x) { return body.make<arith::MulFOp>(x, body.constantFloat(x.getType(), factor), fast); });
}

/// Returns 1, -1, or x itself for zeros; 0 for NaN.
LogicalResult sign(Body &body, const Instruction &ins) {
  return floatUnary(body, ins, [&](Value x) {
    Value zero = body.constantFloat(x.getType(), 0);
    Value unit = body.make<math::CopySignOp>(body.constantFloat(x.getType(), 1), x);
    Value isZero = body.make<arith::CmpFOp>(FloatP::OEQ, x, zero);
    Value result = body.make<arith::SelectOp>(isZero, x, unit);
    return body.make<arith::SelectOp>(body.make<arith::CmpFOp>(FloatP::UNO, x, x), zero, result);
  });
}

LogicalResult mix(Body &body, const Instruction &ins) {
  const auto fast = body.fastMath(ins);
  return floatTernary(body, ins, [&](Value x, Value y, Value a) {
    auto flags = fast | arith::FastMathFlags::contract; // the specification requires no intermediate rounding
    return body.make<arith::AddFOp>(x, body.make<arith::MulFOp>(body.make<arith::SubFOp>(y, x, fast), a, flags), flags);
  });
}

LogicalResult step(Body &body, const Instruction &ins) {
  return extFloatBinary(body, ins, [&](Value edge, Value x) {
    Value isBelow = body.make<arith::CmpFOp>(FloatP::OLT, x, edge);
    return body.make<arith::SelectOp>(isBelow, body.constantFloat(x.getType(), 0), body.constantFloat(x.getType(), 1));
  });
}

LogicalResult smoothstep(Body &body, const Instruction &ins) {
  return floatTernary(body, ins, [&](Value edge0, Value edge1, Value x) {
    Type type = x.getType();
    Value ratio = body.make<arith::DivFOp>(body.make<arith::SubFOp>(x, edge0), body.make<arith::SubFOp>(edge1, edge0));
    Value t = smaller(body, larger(body, ratio, body.constantFloat(type, 0)), body.constantFloat(type, 1));
    Value slope =
        body.make<arith::SubFOp>(body.constantFloat(type, 3), body.make<arith::MulFOp>(body.constantFloat(type, 2), t));
    return body.make<arith::MulFOp>(body.make<arith::MulFOp>(t, t), slope);
  });
}

/// bitselect selects bits; select selects components by the sign of c for vectors, by c != 0 for scalars.
LogicalResult select(Body &body, const Instruction &ins, bool bitwise) {
  Values in;
  if (!body.operands(ins, in, 3, 2))
    return failure();
  Type type = in[0].getType(), element = getElementTypeOrSelf(type);
  if ((!llvm::isa<FloatType>(element) && !llvm::isa<IntegerType>(element)) || element.isInteger(1) ||
      in[1].getType() != type)
    return body.mismatch(ins);
  Type bits = bitsType(body, type);
  if (bitwise ? in[2].getType() != type : in[2].getType() != bits)
    return body.mismatch(ins);
  if (!bitwise) {
    auto predicate = llvm::isa<VectorType>(type) ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ne;
    Value condition = body.make<arith::CmpIOp>(predicate, in[2], body.constantInt(bits, 0));
    return body.define(ins, body.make<arith::SelectOp>(condition, in[1], in[0]));
  }
  for (Value &operand : in)
    if (type != bits)
      operand = body.make<arith::BitcastOp>(bits, operand);
  Value ones = body.constantInt(bits, llvm::APInt::getAllOnes(element.getIntOrFloatBitWidth()));
  Value fromA = body.make<arith::AndIOp>(in[0], body.make<arith::XOrIOp>(in[2], ones));
  Value result = body.make<arith::OrIOp>(fromA, body.make<arith::AndIOp>(in[1], in[2]));
  return body.define(ins, type == bits ? result : body.make<arith::BitcastOp>(type, result));
}

/// The cross product; null if the vectors have neither three nor four components. A fourth component is 0.
Value cross(Body &body, Value a, Value b) {
  auto vector = llvm::dyn_cast<VectorType>(a.getType());
  if (!vector || (vector.getNumElements() != 3 && vector.getNumElements() != 4))
    return {};
  auto at = [&](Value v, int64_t i) { return body.make<vector::ExtractOp>(v, i); };
  SmallVector<Value> parts;
  for (int64_t i = 0; i < 3; ++i) {
    int64_t j = (i + 1) % 3, k = (i + 2) % 3;
    parts.push_back(body.make<arith::SubFOp>(body.make<arith::MulFOp>(at(a, j), at(b, k)),
                                             body.make<arith::MulFOp>(at(a, k), at(b, j))));
  }
  if (vector.getNumElements() == 4)
    parts.push_back(body.constantFloat(vector.getElementType(), 0));
  return body.make<vector::FromElementsOp>(vector, parts);
}

/// The largest component by magnitude; NaN only if all are.
Value largestMagnitude(Body &body, Value v) {
  Value magnitudes = body.make<math::AbsFOp>(v);
  auto vector = llvm::dyn_cast<VectorType>(v.getType());
  if (!vector)
    return magnitudes;
  Value largest;
  for (int64_t i = 0; i < vector.getNumElements(); ++i) {
    Value component = body.make<vector::ExtractOp>(magnitudes, i);
    largest = largest ? body.make<arith::MaxNumFOp>(largest, component) : component;
  }
  return largest;
}

/// Multiplies a vector by a power of two so that its squares neither overflow nor underflow; `back` is the inverse
/// factor. The exponent range of 16-bit floats is too small for that, so callers widen them.
Value rescale(Body &body, Value v, Value largest, Value *back) {
  Type scalar = largest.getType();
  bool isDouble = scalar.isF64();
  auto power = [&](int exponent) { return body.constantFloat(scalar, std::ldexp(1.0, exponent)); };
  int limit = isDouble ? 500 : 60, down = isDouble ? -600 : -70, up = isDouble ? 700 : 90;
  Value isLarge = body.make<arith::CmpFOp>(FloatP::OGT, largest, power(limit));
  Value isSmall = body.make<arith::CmpFOp>(FloatP::OLT, largest, power(-limit));
  Value one = body.constantFloat(scalar, 1);
  Value scale = body.make<arith::SelectOp>(isLarge, power(down), body.make<arith::SelectOp>(isSmall, power(up), one));
  if (back)
    *back = body.make<arith::SelectOp>(isLarge, power(-down), body.make<arith::SelectOp>(isSmall, power(-up), one));
  return body.make<arith::MulFOp>(v, body.splat(scale, v.getType()));
}

/// Extends 16-bit floats to 32 bits.
Value widenHalf(Body &body, Value v) {
  if (!getElementTypeOrSelf(v.getType()).isF16())
    return v;
  auto vector = llvm::dyn_cast<VectorType>(v.getType());
  Type wide = body.builder.getF32Type();
  return body.make<arith::ExtFOp>(vector ? Type(VectorType::get(vector.getShape(), wide)) : wide, v);
}

Value length(Body &body, Value v) {
  bool isHalf = getElementTypeOrSelf(v.getType()).isF16();
  v = widenHalf(body, v);
  Value largest = largestMagnitude(body, v), back;
  Value scaled = isHalf ? v : rescale(body, v, largest, &back);
  Value root = mathCall(body, ocl::MathFn::sqrt, {dot(body, scaled, scaled, arith::FastMathFlags::contract)});
  if (isHalf)
    return body.make<arith::TruncFOp>(body.builder.getF16Type(), root);
  root = body.make<arith::MulFOp>(root, back);
  // Infinite even if another component is NaN, as for hypot.
  Value isInfinite = classify(body, spv::Op::IsInf, largest);
  return body.make<arith::SelectOp>(isInfinite, largest, root);
}

/// In a vector with infinities, these count as 1 with their sign and all other components as 0. Zero stays zero.
Value normalize(Body &body, Value v) {
  Type narrow = v.getType();
  v = widenHalf(body, v);
  Type type = v.getType();
  Value infinite = classify(body, spv::Op::IsInf, v);
  Value anyInfinite = body.splat(classify(body, spv::Op::IsInf, largestMagnitude(body, v)), infinite.getType());
  Value units = body.make<math::CopySignOp>(body.constantFloat(type, 1), v);
  Value zeros = body.make<math::CopySignOp>(body.constantFloat(type, 0), v);
  // A NaN component stays NaN.
  Value finite = body.make<arith::SelectOp>(classify(body, spv::Op::IsNan, v), v, zeros);
  Value replaced = body.make<arith::SelectOp>(infinite, units, finite);
  Value usable = body.make<arith::SelectOp>(anyInfinite, replaced, v);
  Value back, scaled = narrow == type ? rescale(body, usable, largestMagnitude(body, usable), &back) : usable;
  Value square = dot(body, scaled, scaled, arith::FastMathFlags::contract);
  Value isZero = body.make<arith::CmpFOp>(FloatP::OEQ, square, body.constantFloat(square.getType(), 0));
  Value root = body.make<arith::SelectOp>(isZero, body.constantFloat(square.getType(), 1),
                                          mathCall(body, ocl::MathFn::sqrt, {square}));
  if (narrow != type)
    return body.make<arith::TruncFOp>(narrow, body.make<arith::DivFOp>(scaled, body.splat(root, type)));
  // Scaling down costs a component far below the largest bits that its quotient needs. So the original vector is
  // divided in that case, with both sides quartered, because the length itself may exceed the largest number.
  Value quarter = body.constantFloat(root.getType(), 0.25);
  Value isLarge = body.make<arith::CmpFOp>(FloatP::OGT, back, body.constantFloat(root.getType(), 1));
  Value length = body.make<arith::SelectOp>(
      isLarge, body.make<arith::MulFOp>(root, body.make<arith::MulFOp>(back, quarter)), root);
  Value quartered = body.make<arith::MulFOp>(usable, body.splat(quarter, type));
  Value direction = body.make<arith::SelectOp>(body.splat(isLarge, infinite.getType()), quartered, scaled);
  return body.make<arith::DivFOp>(direction, body.splat(length, type));
}

LogicalResult geometric(Body &body, const Instruction &ins, spv::Std fn) {
  bool two = fn == spv::Std::cross || fn == spv::Std::distance || fn == spv::Std::fast_distance;
  Values in;
  if (!body.operands(ins, in, two ? 2 : 1, 2))
    return failure();
  Type type = in[0].getType();
  if (!isFloat(type) || (two && in[1].getType() != type))
    return body.mismatch(ins);
  switch (fn) {
  case spv::Std::cross:
    return body.define(ins, cross(body, in[0], in[1]));
  case spv::Std::distance:
    return body.define(ins, length(body, body.make<arith::SubFOp>(in[0], in[1])));
  case spv::Std::length:
    return body.define(ins, length(body, in[0]));
  case spv::Std::normalize:
    return body.define(ins, normalize(body, in[0]));
  case spv::Std::fast_distance:
  case spv::Std::fast_length: {
    Value v = two ? body.make<arith::SubFOp>(in[0], in[1]) : in[0];
    return body.define(ins, mathCall(body, ocl::MathFn::sqrt, {dot(body, v, v, arith::FastMathFlags::contract)},
                                     ocl::MathPrecision::half));
  }
  default: { // fast_normalize: the result for a zero vector is the zero vector
    Value square = dot(body, in[0], in[0], arith::FastMathFlags::contract);
    Value isZero = body.make<arith::CmpFOp>(FloatP::OEQ, square, body.constantFloat(square.getType(), 0));
    Value scale = mathCall(body, ocl::MathFn::rsqrt, {square}, ocl::MathPrecision::half);
    scale = body.make<arith::SelectOp>(isZero, body.constantFloat(square.getType(), 1), scale);
    return body.define(ins, body.make<arith::MulFOp>(in[0], body.splat(scale, type)));
  }
  }
}
} // namespace

void addStdCommon(StdTable &table) {
  table.add({spv::Std::degrees, spv::Std::radians}, scaleAngle);
  table.add(spv::Std::sign, sign);
  table.add(spv::Std::fmin_common, [](Body &body, const Instruction &ins) {
    return extFloatBinary(body, ins, [&](Value x, Value y) { return smaller(body, x, y); });
  });
  table.add(spv::Std::fmax_common, [](Body &body, const Instruction &ins) {
    return extFloatBinary(body, ins, [&](Value x, Value y) { return larger(body, x, y); });
  });
  table.add(spv::Std::fclamp, [](Body &body, const Instruction &ins) {
    return floatTernary(body, ins,
                        [&](Value x, Value low, Value high) { return smaller(body, larger(body, x, low), high); });
  });
  table.add(spv::Std::mix, mix);
  table.add(spv::Std::step, step);
  table.add(spv::Std::smoothstep, smoothstep);
  table.add({spv::Std::cross, spv::Std::distance, spv::Std::length, spv::Std::normalize, spv::Std::fast_distance,
             spv::Std::fast_length, spv::Std::fast_normalize},
            [](Body &body, const Instruction &ins) { return geometric(body, ins, stdFunction(ins)); });
  table.add({spv::Std::bitselect, spv::Std::select}, [](Body &body, const Instruction &ins) {
    return select(body, ins, stdFunction(ins) == spv::Std::bitselect);
  });
}

} // namespace kiln::import
