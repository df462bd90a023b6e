// Bit operations and shifts. Masks shift counts to the width: larger counts are undefined in SPIR-V, masked in OpenCL
// C, and poison in `arith`.
#include "dialects/import/Bits.h"
#include "dialects/import/Arithmetic.h"
#include "dialects/import/Instructions.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace kiln::import {
namespace {
bool isInteger(Type type) { return llvm::isa<IntegerType>(getElementTypeOrSelf(type)); }

template <typename Op> LogicalResult bitwise(Body &body, const Instruction &ins) {
  return integerBinary(body, ins, [&](Value a, Value b) { return body.make<Op>(a, b); });
}

LogicalResult shift(Body &body, const Instruction &ins) {
  Values in;
  if (!body.operands(ins, in, 2))
    return failure();
  Type type = in[0].getType();
  if (!isInteger(type) || getElementTypeOrSelf(type).isInteger(1) || !isInteger(in[1].getType()) ||
      components(type) != components(in[1].getType()))
    return body.mismatch(ins);
  Value count = mask(body, in[1], type);
  if (ins.op == spv::Op::ShiftLeftLogical)
    return body.define(ins, body.make<arith::ShLIOp>(in[0], count, overflow(body, ins)));
  return body.define(ins, ins.op == spv::Op::ShiftRightLogical ? body.make<arith::ShRUIOp>(in[0], count)
                                                               : body.make<arith::ShRSIOp>(in[0], count));
}

LogicalResult bitwiseUnary(Body &body, const Instruction &ins) {
  Values in;
  Type result = body.resultType(ins);
  if (!result || !body.operands(ins, in, 1))
    return failure();
  Type type = in[0].getType();
  if (!isInteger(type) || getElementTypeOrSelf(type).isInteger(1) || !isInteger(result) ||
      components(type) != components(result))
    return body.mismatch(ins);
  if (ins.op == spv::Op::Not)
    return body.define(
        ins, body.make<arith::XOrIOp>(
                 in[0],
                 body.constantInt(type, llvm::APInt::getAllOnes(getElementTypeOrSelf(type).getIntOrFloatBitWidth()))));
  if (ins.op == spv::Op::BitReverse)
    return body.define(ins, LLVM::BitReverseOp::create(body.builder, body.loc, type, in[0]));
  return body.define(ins, resize(body, body.make<math::CtPopOp>(in[0]), result));
}

/// A field of `count` bits from bit `offset` up. A field beyond the width is undefined in SPIR-V and an arbitrary value
/// here. Shifts take two steps if the count may be the whole width.
LogicalResult bitField(Body &body, const Instruction &ins) {
  bool isInsert = ins.op == spv::Op::BitFieldInsert;
  Values in;
  if (!body.operands(ins, in, isInsert ? 4 : 3))
    return failure();
  Type type = in[0].getType();
  size_t at = isInsert ? 2 : 1;
  if (!isInteger(type) || getElementTypeOrSelf(type).isInteger(1) || (isInsert && in[1].getType() != type) ||
      !llvm::isa<IntegerType>(in[at].getType()) || !llvm::isa<IntegerType>(in[at + 1].getType()))
    return body.mismatch(ins);
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Type scalar = getElementTypeOrSelf(type);
  Value offset = body.splat(mask(body, in[at], scalar), type);
  Value rawCount = resize(body, in[at + 1], scalar);
  Value zero = body.constantInt(scalar, 0);
  Value isEmpty = body.make<arith::CmpIOp>(arith::CmpIPredicate::eq, rawCount, zero);
  // Bits above the field: width - count, which is below the width unless the field is empty.
  Value above =
      body.splat(mask(body, body.make<arith::SubIOp>(body.constantInt(scalar, width), rawCount), scalar), type);
  Value ones = body.constantInt(type, llvm::APInt::getAllOnes(width));
  if (isInsert) {
    Value field = body.make<arith::ShRUIOp>(ones, above);
    field = body.make<arith::SelectOp>(isEmpty, body.constantInt(type, 0), field);
    Value placed = body.make<arith::ShLIOp>(field, offset);
    Value kept = body.make<arith::AndIOp>(in[0], body.make<arith::XOrIOp>(placed, ones));
    Value inserted = body.make<arith::AndIOp>(body.make<arith::ShLIOp>(in[1], offset), placed);
    return body.define(ins, body.make<arith::OrIOp>(kept, inserted));
  }
  Value down = body.make<arith::ShRUIOp>(in[0], offset);
  Value up = body.make<arith::ShLIOp>(down, above);
  Value field =
      ins.op == spv::Op::BitFieldSExtract ? body.make<arith::ShRSIOp>(up, above) : body.make<arith::ShRUIOp>(up, above);
  return body.define(ins, body.make<arith::SelectOp>(isEmpty, body.constantInt(type, 0), field));
}
} // namespace

int64_t components(Type type) {
  auto vector = llvm::dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

/// Zero-extends or truncates an integer scalar or vector.
Value resize(Body &body, Value value, Type type) {
  unsigned from = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  unsigned to = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (from < to)
    return body.make<arith::ExtUIOp>(type, value);
  if (from > to)
    return body.make<arith::TruncIOp>(type, value);
  return value;
}

Value mask(Body &body, Value count, Type type) {
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return body.make<arith::AndIOp>(resize(body, count, type), body.constantInt(type, width - 1));
}

void addBits(InstructionTable &table) {
  table.add({spv::Op::ShiftLeftLogical, spv::Op::ShiftRightLogical, spv::Op::ShiftRightArithmetic}, shift);
  table.add(spv::Op::BitwiseOr, bitwise<arith::OrIOp>);
  table.add(spv::Op::BitwiseXor, bitwise<arith::XOrIOp>);
  table.add(spv::Op::BitwiseAnd, bitwise<arith::AndIOp>);
  table.add({spv::Op::Not, spv::Op::BitCount, spv::Op::BitReverse}, bitwiseUnary);
  table.add({spv::Op::BitFieldInsert, spv::Op::BitFieldSExtract, spv::Op::BitFieldUExtract}, bitField);
}

} // namespace kiln::import
