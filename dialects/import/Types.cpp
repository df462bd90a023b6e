// Converts type ids to MLIR types with OpenCL's memory layout: natural alignment, vectors aligned to their size, three
// components stored as four, CPacked structs without padding.
//
// Pointers are opaque, so no type depends on a later one, and one pass in the module's order suffices. An unsupported
// type is recorded without an MLIR type: only its use is an error.
#include "dialects/import/ModuleImporter.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::import {
namespace {
constexpr unsigned MaxDepth = 255;              // of composites: the specification's universal limit for structs
constexpr uint64_t MaxSize = uint64_t(1) << 46; // of a type: sums and products of smaller sizes fit 64 bits

std::optional<unsigned> addressSpace(spv::StorageClass storage) {
  switch (storage) {
  case spv::StorageClass::Function:
    return ocl::Private;
  case spv::StorageClass::CrossWorkgroup:
  case spv::StorageClass::DeviceOnlyINTEL:
  case spv::StorageClass::HostOnlyINTEL:
    return ocl::Global;
  case spv::StorageClass::UniformConstant:
    return ocl::Constant;
  case spv::StorageClass::Workgroup:
    return ocl::Local;
  case spv::StorageClass::Generic:
    return ocl::Generic;
  default:
    return std::nullopt;
  }
}
} // namespace

LogicalResult ModuleImporter::declareType(const Instruction &ins) {
  TypeInfo info;
  switch (ins.op) {
  case spv::Op::TypeVoid:
    info.type = NoneType::get(&context_);
    break;
  case spv::Op::TypeBool:
    info = {IntegerType::get(&context_, 1), 1, 1, 0};
    break;
  case spv::Op::TypeEvent: // of asynchronous copies: a wait covers all earlier copies, so the value is unused
    info = {IntegerType::get(&context_, 64), 8, 8, 0};
    break;
  case spv::Op::TypeQueue: // these handles are integers
  case spv::Op::TypeDeviceEvent:
  case spv::Op::TypeReserveId:
    info = {IntegerType::get(&context_, 64), 8, 8, 0};
    break;
  case spv::Op::TypePipe:
  case spv::Op::TypePipeStorage:
    info = {LLVM::LLVMPointerType::get(&context_, ocl::Global), 8, 8, 0};
    break;
  case spv::Op::TypeInt: {
    uint32_t width = ins.args[0];
    if (width != 8 && width != 16 && width != 32 && width != 64)
      return error(ins) << "has a Width of " << width << ", must be 8, 16, 32 or 64";
    info = {IntegerType::get(&context_, width), width / 8, width / 8, 0};
    break;
  }
  case spv::Op::TypeFloat: {
    uint32_t width = ins.args[0];
    if (width != 16 && width != 32 && width != 64)
      return error(ins) << "has a Width of " << width << ", must be 16, 32 or 64";
    Type type = width == 16   ? Type(Float16Type::get(&context_))
                : width == 32 ? Type(Float32Type::get(&context_))
                              : Type(Float64Type::get(&context_));
    info = {type, width / 8, width / 8, 0};
    break;
  }
  case spv::Op::TypeVector: {
    const TypeInfo *component = typeInfo(ins.args[0]);
    uint32_t count = ins.args[1];
    if (!component || !llvm::isa_and_nonnull<IntegerType, FloatType>(component->type))
      return error(ins) << "has a Component Type that is not an integer or floating-point type";
    if (count != 2 && count != 3 && count != 4 && count != 8 && count != 16)
      return error(ins) << "has a Component Count of " << count << ", must be 2, 3, 4, 8 or 16";
    uint64_t size = component->size * llvm::PowerOf2Ceil(count);
    info = {VectorType::get(count, component->type), size, size, 0};
    break;
  }
  case spv::Op::TypeCooperativeMatrixKHR:
    if (failed(matrixType(ins, info)))
      return failure();
    break;
  case spv::Op::TypeArray:
    info = arrayType(ins);
    break;
  case spv::Op::TypeStruct:
    info = structType(ins);
    break;
  case spv::Op::TypePointer: {
    auto space = addressSpace(static_cast<spv::StorageClass>(ins.args[0]));
    const TypeInfo *pointee = typeInfo(ins.args[1]);
    if (pointee && pointee->hasMatrix && space != ocl::Private)
      return error(ins) << "points to a cooperative matrix in other than private memory";
    if (space)
      info = {LLVM::LLVMPointerType::get(&context_, *space), 8, 8, 0};
    break;
  }
  case spv::Op::TypeForwardPointer: { // for recursive structs; opaque pointers need only the storage class
    const Instruction *pointer = definition(ins.args[0]);
    if (!pointer || pointer->op != spv::Op::TypePointer || pointer->args[0] != ins.args[1])
      return error(ins) << "has a Pointer Type that is not a pointer of its Storage Class";
    if (auto space = addressSpace(static_cast<spv::StorageClass>(ins.args[1])))
      types_[ins.args[0]] = {LLVM::LLVMPointerType::get(&context_, *space), 8, 8, 0};
    return success();
  }
  case spv::Op::TypeImage: // the address of the kernel's argument
    if (failed(checkImageType(ins)))
      return failure();
    info = {LLVM::LLVMPointerType::get(&context_, ocl::Private), 8, 8, 0};
    break;
  case spv::Op::TypeSampler:
    info = {IntegerType::get(&context_, 32), 4, 4, 0};
    break;
  case spv::Op::TypeFunction:
  case spv::Op::TypeOpaque:
  case spv::Op::TypeNamedBarrier:
  case spv::Op::TypeSampledImage: // has no value: Images.cpp looks it up by its id
    break;
  default:
    return unsupported(ins);
  }
  if (info.depth > MaxDepth || info.size > MaxSize)
    info = {};
  types_[ins.result] = info;
  return success();
}

TypeInfo ModuleImporter::arrayType(const Instruction &ins) {
  const TypeInfo *element = typeInfo(ins.args[0]);
  std::optional<uint64_t> count = integer(ins.args[1]);
  if (!element || !element->type || !element->size || !count || !*count || *count > MaxSize / element->size)
    return {};
  return {LLVM::LLVMArrayType::get(element->type, *count), element->size * *count, element->align, element->depth + 1,
          element->hasMatrix};
}

TypeInfo ModuleImporter::structType(const Instruction &ins) {
  bool packed = decoration(ins.result, spv::Decoration::CPacked);
  TypeInfo info;
  SmallVector<Type> members;
  for (uint32_t id : ins.args) {
    const TypeInfo *member = typeInfo(id);
    // An empty struct has size 0 and may be a member.
    if (!member || !member->type || (!member->size && !llvm::isa<LLVM::LLVMStructType>(member->type)))
      return {};
    members.push_back(member->type);
    if (!packed) {
      info.size = llvm::alignTo(info.size, member->align);
      info.align = std::max(info.align, member->align);
    }
    info.size += member->size;
    info.depth = std::max(info.depth, member->depth + 1);
    info.hasMatrix |= member->hasMatrix;
    if (info.size > MaxSize)
      return {};
  }
  info.size = llvm::alignTo(info.size, info.align);
  info.type = LLVM::LLVMStructType::getLiteral(&context_, members, packed);
  return info;
}

const TypeInfo *ModuleImporter::typeInfo(uint32_t id) const {
  auto it = types_.find(id);
  return it == types_.end() ? nullptr : &it->second;
}

Type ModuleImporter::type(uint32_t id, const Instruction &user) {
  const TypeInfo *info = typeInfo(id);
  if (info && info->type)
    return info->type;
  const Instruction *definition = this->definition(id);
  InFlightDiagnostic diagnostic = error(user);
  if (definition)
    diagnostic << "uses " << opcodeName(definition->op) << " at word " << definition->offset
               << ", which is not supported";
  else
    diagnostic << "uses id " << id << " as a type, which is not a type";
  return {};
}

const TypeInfo *ModuleImporter::memoryType(uint32_t id, const Instruction &user) {
  if (!type(id, user))
    return nullptr;
  const TypeInfo *info = typeInfo(id);
  // An empty struct has size 0 and may be in memory.
  if (!info->size && !llvm::isa<LLVM::LLVMStructType>(info->type))
    return error(user) << "requires a type that can be in memory", nullptr;
  return info;
}

/// Sets the data layout that structType assumes: every number is aligned to its size. MLIR's default aligns 64-bit
/// numbers to four bytes, and an entry for one integer width also applies to smaller widths without an entry.
void ModuleImporter::setLayout() {
  Builder b(&context_);
  SmallVector<DataLayoutEntryInterface> entries;
  auto align = [&](Type type, unsigned bits) {
    entries.push_back(DataLayoutEntryAttr::get(
        type, DenseIntElementsAttr::get(VectorType::get(2, b.getI64Type()), ArrayRef<int64_t>{bits, bits})));
  };
  for (unsigned bits : {8, 16, 32, 64})
    align(b.getIntegerType(bits), bits);
  align(b.getF64Type(), 64);
  (*module_)->setAttr(DLTIDialect::kDataLayoutAttrName, DataLayoutSpecAttr::get(&context_, entries));
}

} // namespace kiln::import
