// Conversions between number types, and bit casts. Uses `arith` for conversions without undefined cases in the default
// rounding mode; float to integer, saturation and other rounding modes become `ocl.convert`.
#include "dialects/import/Conversions.h"
#include "dialects/import/Bits.h"
#include "dialects/import/Instructions.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::import {
namespace {
bool isInteger(Type type) {
  Type element = getElementTypeOrSelf(type);
  return llvm::isa<IntegerType>(element) && !element.isInteger(1);
}
bool isFloat(Type type) { return llvm::isa<FloatType>(getElementTypeOrSelf(type)); }
bool sameLanes(Type a, Type b) {
  auto va = llvm::dyn_cast<VectorType>(a), vb = llvm::dyn_cast<VectorType>(b);
  return va && vb ? va.getShape() == vb.getShape() : !va && !vb;
}
unsigned width(Type type) { return getElementTypeOrSelf(type).getIntOrFloatBitWidth(); }
/// Returns the size in bits of a number or a vector of numbers; 0 for other types.
unsigned bitSize(Type type) {
  if (!isInteger(type) && !isFloat(type))
    return 0;
  auto vector = llvm::dyn_cast<VectorType>(type);
  return width(type) * (vector ? static_cast<unsigned>(vector.getNumElements()) : 1);
}

std::optional<ocl::Rounding> rounding(Body &body, const Instruction &ins) {
  auto stated = body.module.decorationValue(ins.result, spv::Decoration::FPRoundingMode);
  if (!stated)
    return std::nullopt;
  return ocl::symbolizeRounding(*stated); // the enum has SPIR-V's values
}

struct Form {
  bool fromFloat = false, toFloat = false, unsignedIn = false, unsignedOut = false, saturates = false;
};

LogicalResult convertNumber(Body &body, const Instruction &ins, Form form) {
  auto [fromFloat, toFloat, unsignedIn, unsignedOut, saturates] = form;
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, 1))
    return failure();
  Type from = in[0].getType();
  if (!sameLanes(from, type) || (fromFloat ? !isFloat(from) : !isInteger(from)) ||
      (toFloat ? !isFloat(type) : !isInteger(type)))
    return body.mismatch(ins);
  saturates |= body.module.decoration(ins.result, spv::Decoration::SaturatedConversion) && !toFloat;
  auto mode = rounding(body, ins);

  bool isExact = !fromFloat && !toFloat;
  if ((fromFloat && !toFloat) || saturates || (!isExact && mode && *mode != ocl::Rounding::rte))
    return body.define(ins, ocl::ConvertOp::create(body.builder, body.loc, type,
                                                   mode.value_or(toFloat ? ocl::Rounding::rte : ocl::Rounding::rtz),
                                                   in[0], saturates, unsignedIn, unsignedOut));
  if (toFloat && fromFloat) {
    if (from == type)
      return body.define(ins, in[0]);
    return body.define(ins, width(from) < width(type) ? body.make<arith::ExtFOp>(type, in[0])
                                                      : body.make<arith::TruncFOp>(type, in[0]));
  }
  if (toFloat)
    return body.define(ins,
                       unsignedIn ? body.make<arith::UIToFPOp>(type, in[0]) : body.make<arith::SIToFPOp>(type, in[0]));
  if (width(from) < width(type) && !unsignedIn)
    return body.define(ins, body.make<arith::ExtSIOp>(type, in[0]));
  return body.define(ins, resize(body, in[0], type));
}

template <Form form> LogicalResult convert(Body &body, const Instruction &ins) {
  return convertNumber(body, ins, form);
}

LogicalResult bitCast(Body &body, const Instruction &ins) {
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, 1))
    return failure();
  return body.define(ins, bitcast(body, in[0], type));
}
} // namespace

/// Bit-casts between numbers, vectors and pointers. Returns null if the sizes differ.
Value bitcast(Body &body, Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  bool fromPointer = llvm::isa<LLVM::LLVMPointerType>(from), toPointer = llvm::isa<LLVM::LLVMPointerType>(type);
  if (fromPointer && toPointer)
    return {};
  if (fromPointer) // by way of i64
    return bitcast(body, LLVM::PtrToIntOp::create(body.builder, body.loc, body.builder.getI64Type(), value), type);
  if (toPointer) {
    Value bits = bitcast(body, value, body.builder.getI64Type());
    return bits ? LLVM::IntToPtrOp::create(body.builder, body.loc, type, bits).getResult() : Value();
  }
  if (!bitSize(from) || bitSize(from) != bitSize(type))
    return {};
  auto fromVector = llvm::dyn_cast<VectorType>(from), toVector = llvm::dyn_cast<VectorType>(type);
  if (sameLanes(from, type))
    return body.make<arith::BitcastOp>(type, value);
  if (fromVector && toVector)
    return body.make<vector::BitCastOp>(type, value);
  // By way of a one-component vector.
  if (toVector)
    return body.make<vector::BitCastOp>(type, body.make<vector::BroadcastOp>(VectorType::get(1, from), value));
  Value one = body.make<vector::BitCastOp>(VectorType::get(1, type), value);
  return body.make<vector::ExtractOp>(one, 0);
}

void addConversions(InstructionTable &table) {
  table.add(spv::Op::ConvertFToU, convert<Form{.fromFloat = true, .unsignedOut = true}>);
  table.add(spv::Op::ConvertFToS, convert<Form{.fromFloat = true}>);
  table.add(spv::Op::ConvertSToF, convert<Form{.toFloat = true}>);
  table.add(spv::Op::ConvertUToF, convert<Form{.toFloat = true, .unsignedIn = true}>);
  table.add(spv::Op::UConvert, convert<Form{.unsignedIn = true, .unsignedOut = true}>);
  table.add(spv::Op::SConvert, convert<Form{}>);
  table.add(spv::Op::FConvert, convert<Form{.fromFloat = true, .toFloat = true}>);
  table.add(spv::Op::SatConvertSToU, convert<Form{.unsignedOut = true, .saturates = true}>);
  table.add(spv::Op::SatConvertUToS, convert<Form{.unsignedIn = true, .saturates = true}>);
  table.add(spv::Op::Bitcast, bitCast);
}

} // namespace kiln::import
