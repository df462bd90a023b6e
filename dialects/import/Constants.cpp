// Converts constants to attributes, in the module's order and so without recursion.
//
// Scalars and vectors get the attributes of arith.constant, composites those of llvm.mlir.global: dense elements for an
// array of numbers, an array attribute for other composites, #llvm.zero for nulls. A constant that contains an address
// has no attribute; Body builds it from operations at its uses. OpUndef is zero: any value is legal, and poison
// could reach a branch or a divisor.
#include "base/abi/ImageAbi.h"
#include "dialects/import/Body.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::import {
namespace {
/// Converts the bits of a literal or a specialisation value to a number of this type; null for other types.
Attribute number(Type type, uint64_t bits) {
  if (auto integer = llvm::dyn_cast<IntegerType>(type))
    return IntegerAttr::get(integer, llvm::APInt(64, bits).trunc(integer.getWidth()));
  if (auto real = llvm::dyn_cast<FloatType>(type))
    return FloatAttr::get(real, llvm::APFloat(real.getFloatSemantics(), llvm::APInt(64, bits).trunc(real.getWidth())));
  return {};
}

bool isNumber(Attribute attribute) { return llvm::isa_and_nonnull<IntegerAttr, FloatAttr>(attribute); }
} // namespace

bool ModuleImporter::isConstant(spv::Op op) {
  switch (op) {
  case spv::Op::Undef:
  case spv::Op::ConstantTrue:
  case spv::Op::ConstantFalse:
  case spv::Op::Constant:
  case spv::Op::ConstantComposite:
  case spv::Op::ConstantNull:
  case spv::Op::SpecConstantTrue:
  case spv::Op::SpecConstantFalse:
  case spv::Op::SpecConstant:
  case spv::Op::SpecConstantComposite:
  case spv::Op::SpecConstantOp:
  case spv::Op::ConstantPipeStorage:
  case spv::Op::ConstantSampler:
    return true;
  default:
    return false;
  }
}

LogicalResult ModuleImporter::declareConstant(const Instruction &ins) {
  const TypeInfo *info = typeInfo(ins.type);
  if (!info)
    return error(ins) << "has a Result Type that is not a type";
  if (!info->type || llvm::isa<NoneType>(info->type))
    return success(); // using it is the error
  Attribute value;
  switch (ins.op) {
  case spv::Op::ConstantPipeStorage:
    return declarePipeStorage(ins);
  case spv::Op::ConstantSampler: {
    const uint32_t mode = ins.args[0], normalized = ins.args[1], filter = ins.args[2];
    if (!info->type.isInteger(32) || mode > abi::AddressMirroredRepeat || normalized > 1 || filter > 1)
      return error(ins) << "has a sampler addressing mode, Param or filter mode that is not valid";
    value = IntegerAttr::get(info->type,
                             mode | (normalized ? abi::SamplerNormalized : 0) | (filter ? abi::SamplerLinear : 0));
    break;
  }
  case spv::Op::ConstantTrue:
  case spv::Op::ConstantFalse:
  case spv::Op::SpecConstantTrue:
  case spv::Op::SpecConstantFalse: {
    if (!info->type.isInteger(1))
      return error(ins) << "has a Result Type that is not OpTypeBool";
    bool bit = ins.op == spv::Op::ConstantTrue || ins.op == spv::Op::SpecConstantTrue;
    if (ArrayRef<uint8_t> given = specialisation(ins.result); !given.empty())
      bit = llvm::any_of(given, [](uint8_t byte) { return byte != 0; });
    value = BoolAttr::get(&context_, bit);
    break;
  }
  case spv::Op::Constant:
  case spv::Op::SpecConstant:
    if (!(value = numberConstant(ins, info->type)))
      return failure();
    break;
  case spv::Op::ConstantNull:
  case spv::Op::Undef:
    value = zero(info->type);
    if (!value)
      value = LLVM::ZeroAttr::get(&context_);
    break;
  case spv::Op::ConstantComposite:
  case spv::Op::SpecConstantComposite:
    value = compositeConstant(ins, info->type);
    break;
  default:
    value = evaluate(ins);
    break;
  }
  if (value)
    constants_[ins.result] = value;
  return success();
}

Attribute ModuleImporter::numberConstant(const Instruction &ins, Type type) {
  if (!llvm::isa<IntegerType, FloatType>(type) || type.isInteger(1))
    return error(ins) << "has a Result Type that is not an integer or floating-point type", Attribute();
  size_t words = type.getIntOrFloatBitWidth() > 32 ? 2 : 1;
  if (ins.args.size() != words)
    return error(ins) << "has a value of " << ins.args.size() << " words, must be " << words, Attribute();
  uint64_t bits = ins.args[0] | (words == 2 ? uint64_t(ins.args[1]) << 32 : 0);
  if (ArrayRef<uint8_t> given = specialisation(ins.result); !given.empty()) {
    if (given.size() != type.getIntOrFloatBitWidth() / 8)
      return error(ins) << "has a specialization value of " << given.size() << " bytes, must be "
                        << type.getIntOrFloatBitWidth() / 8,
             Attribute();
    bits = 0;
    for (size_t i = 0; i < given.size(); ++i)
      bits |= uint64_t(given[i]) << (8 * i);
  }
  return number(type, bits);
}

/// Returns the specialisation value for the SpecId of an id; empty if it has none.
ArrayRef<uint8_t> ModuleImporter::specialisation(uint32_t id) const {
  std::optional<uint32_t> specId = decorationValue(id, spv::Decoration::SpecId);
  if (specId)
    for (const SpecConstant &constant : options_.specConstants)
      if (constant.id == *specId)
        return constant.bytes;
  return {};
}

Attribute ModuleImporter::compositeConstant(const Instruction &ins, Type type) {
  SmallVector<Attribute> parts;
  parts.reserve(ins.args.size());
  for (uint32_t id : ins.args) {
    Attribute part = constant(id);
    if (!part)
      return {}; // contains an address
    parts.push_back(part);
  }
  auto fits = [&](size_t index, Type expected) { // compares the declared types
    const Instruction *part = definition(ins.args[index]);
    const TypeInfo *info = part ? typeInfo(part->type) : nullptr;
    return info && info->type == expected;
  };
  bool allNumbers = llvm::all_of(parts, isNumber);
  if (auto vector = llvm::dyn_cast<VectorType>(type)) {
    // OpenCL's environment allows vectors among the constituents; no known producer writes them.
    if (static_cast<int64_t>(parts.size()) != vector.getNumElements() || !allNumbers)
      return {};
    for (size_t i = 0; i < parts.size(); ++i)
      if (!fits(i, vector.getElementType()))
        return {};
    return DenseElementsAttr::get(vector, parts);
  }
  if (auto array = llvm::dyn_cast<LLVM::LLVMArrayType>(type)) {
    if (parts.size() != array.getNumElements())
      return {};
    for (size_t i = 0; i < parts.size(); ++i)
      if (!fits(i, array.getElementType()))
        return {};
    if (allNumbers && !array.getElementType().isInteger(1))
      return DenseElementsAttr::get(RankedTensorType::get(static_cast<int64_t>(parts.size()), array.getElementType()),
                                    parts);
    return ArrayAttr::get(&context_, parts);
  }
  if (auto record = llvm::dyn_cast<LLVM::LLVMStructType>(type)) {
    if (parts.size() != record.getBody().size())
      return {};
    for (size_t i = 0; i < parts.size(); ++i)
      if (!fits(i, record.getBody()[i]))
        return {};
    return ArrayAttr::get(&context_, parts);
  }
  return {};
}

/// Evaluates an OpSpecConstantOp by building the operation in a scratch block. All operands are constants, so it folds
/// unless it computes an address. Errors are reported where the constant is used and built again.
Attribute ModuleImporter::evaluate(const Instruction &ins) {
  const TypeInfo *info = typeInfo(ins.type);
  if (!info || !llvm::isa_and_nonnull<IntegerType, FloatType, VectorType>(info->type))
    return {};
  ScopedDiagnosticHandler quiet(&context_, [](Diagnostic &) { return success(); });
  Block scratch;
  Attribute result;
  {
    Body body(*this, &scratch, /*contract=*/false);
    if (Value value = body.value(ins.result, ins))
      if (!matchPattern(value, m_Constant(&result)))
        result = {};
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(scratch)))
    op.erase();
  return result;
}

std::optional<uint64_t> ModuleImporter::integer(uint32_t id) const {
  auto value = llvm::dyn_cast_if_present<IntegerAttr>(constant(id));
  if (!value)
    return std::nullopt;
  return value.getValue().getZExtValue();
}

TypedAttr ModuleImporter::zero(Type type) {
  if (llvm::isa<IntegerType, FloatType, VectorType>(type))
    return Builder(&context_).getZeroAttr(type);
  return {};
}

} // namespace kiln::import
