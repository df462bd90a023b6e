// Conversions between number types, and bit casts. Uses `arith` for conversions without undefined cases in the default
// rounding mode; float to integer, saturation and other rounding modes become `ocl.convert`.
#include "dialects/import/BodyImporter.h"
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
} // namespace

std::optional<ocl::Rounding> BodyImporter::rounding(const Instruction &ins) {
  auto stated = module.decorationValue(ins.result, spv::Decoration::FPRoundingMode);
  if (!stated)
    return std::nullopt;
  return ocl::symbolizeRounding(*stated); // the enum has SPIR-V's values
}

ImportResult BodyImporter::importConversion(const Instruction &ins) {
  bool fromFloat = false, toFloat = false, unsignedIn = false, unsignedOut = false, saturates = false;
  switch (ins.op) {
  case spv::Op::ConvertFToU:
    fromFloat = unsignedOut = true;
    break;
  case spv::Op::ConvertFToS:
    fromFloat = true;
    break;
  case spv::Op::ConvertSToF:
    toFloat = true;
    break;
  case spv::Op::ConvertUToF:
    toFloat = unsignedIn = true;
    break;
  case spv::Op::UConvert:
    unsignedIn = unsignedOut = true;
    break;
  case spv::Op::SConvert:
    break;
  case spv::Op::FConvert:
    fromFloat = toFloat = true;
    break;
  case spv::Op::SatConvertSToU:
    unsignedOut = saturates = true;
    break;
  case spv::Op::SatConvertUToS:
    unsignedIn = saturates = true;
    break;
  case spv::Op::Bitcast: {
    Values in;
    Type type = resultType(ins);
    if (!type || !operands(ins, in, 1))
      return ImportResult::Failure;
    return importResult(define(ins, bitcast(in[0], type)));
  }
  default:
    return ImportResult::NotHandled;
  }
  Values in;
  Type type = resultType(ins);
  if (!type || !operands(ins, in, 1))
    return ImportResult::Failure;
  Type from = in[0].getType();
  if (!sameLanes(from, type) || (fromFloat ? !isFloat(from) : !isInteger(from)) ||
      (toFloat ? !isFloat(type) : !isInteger(type)))
    return importResult(mismatch(ins));
  saturates |= module.decoration(ins.result, spv::Decoration::SaturatedConversion) && !toFloat;
  auto mode = rounding(ins);

  bool isExact = !fromFloat && !toFloat;
  if ((fromFloat && !toFloat) || saturates || (!isExact && mode && *mode != ocl::Rounding::rte))
    return importResult(
        define(ins, ocl::ConvertOp::create(builder, loc, type,
                                           mode.value_or(toFloat ? ocl::Rounding::rte : ocl::Rounding::rtz), in[0],
                                           saturates, unsignedIn, unsignedOut)));
  if (toFloat && fromFloat) {
    if (from == type)
      return importResult(define(ins, in[0]));
    return importResult(
        define(ins, width(from) < width(type) ? make<arith::ExtFOp>(type, in[0]) : make<arith::TruncFOp>(type, in[0])));
  }
  if (toFloat)
    return importResult(
        define(ins, unsignedIn ? make<arith::UIToFPOp>(type, in[0]) : make<arith::SIToFPOp>(type, in[0])));
  if (width(from) < width(type) && !unsignedIn)
    return importResult(define(ins, make<arith::ExtSIOp>(type, in[0])));
  return importResult(define(ins, resize(in[0], type)));
}

/// Bit-casts between numbers, vectors and pointers. Returns null if the sizes differ.
Value BodyImporter::bitcast(Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  bool fromPointer = llvm::isa<LLVM::LLVMPointerType>(from), toPointer = llvm::isa<LLVM::LLVMPointerType>(type);
  if (fromPointer && toPointer)
    return {};
  if (fromPointer) // by way of i64
    return bitcast(LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), value), type);
  if (toPointer) {
    Value bits = bitcast(value, builder.getI64Type());
    return bits ? LLVM::IntToPtrOp::create(builder, loc, type, bits).getResult() : Value();
  }
  if (!bitSize(from) || bitSize(from) != bitSize(type))
    return {};
  auto fromVector = llvm::dyn_cast<VectorType>(from), toVector = llvm::dyn_cast<VectorType>(type);
  if (sameLanes(from, type))
    return make<arith::BitcastOp>(type, value);
  if (fromVector && toVector)
    return make<vector::BitCastOp>(type, value);
  // By way of a one-component vector.
  if (toVector)
    return make<vector::BitCastOp>(type, make<vector::BroadcastOp>(VectorType::get(1, from), value));
  Value one = make<vector::BitCastOp>(VectorType::get(1, type), value);
  return make<vector::ExtractOp>(one, 0);
}

} // namespace kiln::import
