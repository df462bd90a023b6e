// Bit operations and shifts. Masks shift counts to the width: larger counts are undefined in SPIR-V, masked in OpenCL
// C, and poison in `arith`.
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

/// Zero-extends or truncates an integer scalar or vector.
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

ImportResult BodyImporter::importBits(const Instruction &ins) {
  switch (ins.op) {
  case spv::Op::ShiftLeftLogical:
  case spv::Op::ShiftRightLogical:
  case spv::Op::ShiftRightArithmetic: {
    Values in;
    if (!operands(ins, in, 2))
      return ImportResult::Failure;
    Type type = in[0].getType();
    if (!isInteger(type) || getElementTypeOrSelf(type).isInteger(1) || !isInteger(in[1].getType()) ||
        lanes(type) != lanes(in[1].getType()))
      return importResult(mismatch(ins));
    Value count = mask(in[1], type);
    if (ins.op == spv::Op::ShiftLeftLogical)
      return importResult(define(ins, make<arith::ShLIOp>(in[0], count, overflow(ins))));
    return importResult(define(ins, ins.op == spv::Op::ShiftRightLogical ? make<arith::ShRUIOp>(in[0], count)
                                                                         : make<arith::ShRSIOp>(in[0], count)));
  }
  case spv::Op::BitwiseOr:
    return importResult(integerBinary(ins, [&](Value a, Value b) { return make<arith::OrIOp>(a, b); }));
  case spv::Op::BitwiseXor:
    return importResult(integerBinary(ins, [&](Value a, Value b) { return make<arith::XOrIOp>(a, b); }));
  case spv::Op::BitwiseAnd:
    return importResult(integerBinary(ins, [&](Value a, Value b) { return make<arith::AndIOp>(a, b); }));
  case spv::Op::Not:
  case spv::Op::BitCount:
  case spv::Op::BitReverse: {
    Values in;
    Type result = resultType(ins);
    if (!result || !operands(ins, in, 1))
      return ImportResult::Failure;
    Type type = in[0].getType();
    if (!isInteger(type) || getElementTypeOrSelf(type).isInteger(1) || !isInteger(result) ||
        lanes(type) != lanes(result))
      return importResult(mismatch(ins));
    if (ins.op == spv::Op::Not)
      return importResult(define(
          ins, make<arith::XOrIOp>(in[0], constantInt(type, llvm::APInt::getAllOnes(
                                                                getElementTypeOrSelf(type).getIntOrFloatBitWidth())))));
    if (ins.op == spv::Op::BitReverse)
      return importResult(define(ins, LLVM::BitReverseOp::create(builder, loc, type, in[0])));
    return importResult(define(ins, resize(make<math::CtPopOp>(in[0]), result)));
  }
  case spv::Op::BitFieldInsert:
  case spv::Op::BitFieldSExtract:
  case spv::Op::BitFieldUExtract:
    return importResult(bitField(ins));
  default:
    return ImportResult::NotHandled;
  }
}

/// A field of `count` bits from bit `offset` up. A field beyond the width is undefined in SPIR-V and an arbitrary value
/// here. Shifts take two steps if the count may be the whole width.
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
