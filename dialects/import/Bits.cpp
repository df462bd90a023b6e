// Bit operations and shifts. Counts are masked to the width: SPIR-V leaves larger ones undefined, OpenCL C masks, and
// `arith` would give poison.
#include "dialects/import/BodyImporter.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace kiln::import {
namespace {
bool isInteger(Type type) { return llvm::isa<IntegerType>(getElementTypeOrSelf(type)); }
int64_t lanes(Type type) {
  auto vector = llvm::dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 0;
}
} // namespace

/// An integer scalar or vector as one of another width, zero-extended.
Value BodyImporter::resize(Value value, Type type) {
  unsigned from = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  unsigned to = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (from < to)
    return make<arith::ExtUIOp>(type, value);
  if (from > to)
    return make<arith::TruncIOp>(type, value);
  return value;
}

Value BodyImporter::mask(Value count, Type type) {
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return make<arith::AndIOp>(resize(count, type), constantInt(type, width - 1));
}

Outcome BodyImporter::importBits(const Instruction &ins) {
  switch (ins.op) {
  case spv::Op::ShiftLeftLogical:
  case spv::Op::ShiftRightLogical:
  case spv::Op::ShiftRightArithmetic: {
    Values in;
    if (!operands(ins, in, 2))
      return Outcome::Failed;
    Type type = in[0].getType();
    if (!isInteger(type) || getElementTypeOrSelf(type).isInteger(1) || !isInteger(in[1].getType()) ||
        lanes(type) != lanes(in[1].getType()))
      return outcome(mismatch(ins));
    Value count = mask(in[1], type);
    if (ins.op == spv::Op::ShiftLeftLogical)
      return outcome(define(ins, make<arith::ShLIOp>(in[0], count, overflow(ins))));
    return outcome(define(ins, ins.op == spv::Op::ShiftRightLogical ? make<arith::ShRUIOp>(in[0], count)
                                                                    : make<arith::ShRSIOp>(in[0], count)));
  }
  case spv::Op::BitwiseOr:
    return outcome(integerBinary(ins, [&](Value a, Value b) { return make<arith::OrIOp>(a, b); }));
  case spv::Op::BitwiseXor:
    return outcome(integerBinary(ins, [&](Value a, Value b) { return make<arith::XOrIOp>(a, b); }));
  case spv::Op::BitwiseAnd:
    return outcome(integerBinary(ins, [&](Value a, Value b) { return make<arith::AndIOp>(a, b); }));
  case spv::Op::Not:
  case spv::Op::BitCount:
  case spv::Op::BitReverse: {
    Values in;
    Type result = resultType(ins);
    if (!result || !operands(ins, in, 1))
      return Outcome::Failed;
    Type type = in[0].getType();
    if (!isInteger(type) || getElementTypeOrSelf(type).isInteger(1) || !isInteger(result) ||
        lanes(type) != lanes(result))
      return outcome(mismatch(ins));
    if (ins.op == spv::Op::Not)
      return outcome(define(ins, make<arith::XOrIOp>(
                                     in[0], constantInt(type, llvm::APInt::getAllOnes(
                                                                  getElementTypeOrSelf(type).getIntOrFloatBitWidth())))));
    if (ins.op == spv::Op::BitReverse)
      return outcome(define(ins, LLVM::BitReverseOp::create(builder, loc, type, in[0])));
    return outcome(define(ins, resize(make<math::CtPopOp>(in[0]), result)));
  }
  case spv::Op::BitFieldInsert:
  case spv::Op::BitFieldSExtract:
  case spv::Op::BitFieldUExtract:
    return outcome(bitField(ins));
  default:
    return Outcome::NotMine;
  }
}

/// A field of `count` bits from bit `offset` up; a field that leaves the number is undefined in SPIR-V and some number
/// here. Shifts go in two steps where the count may be the whole width.
LogicalResult BodyImporter::bitField(const Instruction &ins) {
  bool isInsert = ins.op == spv::Op::BitFieldInsert;
  Values in;
  if (!operands(ins, in, isInsert ? 4 : 3))
    return failure();
  Type type = in[0].getType();
  size_t at = isInsert ? 2 : 1;
  if (!isInteger(type) || getElementTypeOrSelf(type).isInteger(1) || (isInsert && in[1].getType() != type) ||
      !llvm::isa<IntegerType>(in[at].getType()) || !llvm::isa<IntegerType>(in[at + 1].getType()))
    return mismatch(ins);
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Type scalar = getElementTypeOrSelf(type);
  Value offset = splat(mask(in[at], scalar), type);
  Value rawCount = resize(in[at + 1], scalar);
  Value zero = constantInt(scalar, 0);
  Value isEmpty = make<arith::CmpIOp>(arith::CmpIPredicate::eq, rawCount, zero);
  // Bits above the field: width - count, which is below the width unless the field is empty.
  Value above = splat(mask(make<arith::SubIOp>(constantInt(scalar, width), rawCount), scalar), type);
  Value ones = constantInt(type, llvm::APInt::getAllOnes(width));
  if (isInsert) {
    Value field = make<arith::ShRUIOp>(ones, above);
    field = make<arith::SelectOp>(isEmpty, constantInt(type, 0), field);
    Value placed = make<arith::ShLIOp>(field, offset);
    Value kept = make<arith::AndIOp>(in[0], make<arith::XOrIOp>(placed, ones));
    Value inserted = make<arith::AndIOp>(make<arith::ShLIOp>(in[1], offset), placed);
    return define(ins, make<arith::OrIOp>(kept, inserted));
  }
  Value down = make<arith::ShRUIOp>(in[0], offset);
  Value up = make<arith::ShLIOp>(down, above);
  Value field = ins.op == spv::Op::BitFieldSExtract ? make<arith::ShRSIOp>(up, above) : make<arith::ShRUIOp>(up, above);
  return define(ins, make<arith::SelectOp>(isEmpty, constantInt(type, 0), field));
}

} // namespace kiln::import
