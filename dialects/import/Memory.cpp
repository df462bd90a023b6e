// Loads, stores and private variables, as the `llvm` dialect, so that MLIR's mem2reg and SROA apply.
#include "dialects/import/BodyImporter.h"

using namespace mlir;

namespace kiln::import {
namespace {
constexpr uint64_t MaxPrivateBytes = uint64_t(1) << 31; // of one variable
}

ImportResult BodyImporter::importMemory(const Instruction &ins) {
  switch (ins.op) {
  case spv::Op::Variable:
    return importResult(variable(ins));
  case spv::Op::Load:
    return importResult(load(ins));
  case spv::Op::Store:
    return importResult(store(ins));
  case spv::Op::CopyMemory:
  case spv::Op::CopyMemorySized:
    return importResult(copyMemory(ins));
  default:
    return ImportResult::NotHandled;
  }
}

/// Reads the optional memory operands at args[first]. Sets `end` to the index after them.
std::optional<BodyImporter::MemoryOperands> BodyImporter::memoryOperands(const Instruction &ins, size_t first,
                                                                         size_t *end) {
  MemoryOperands access;
  size_t at = first;
  if (at < ins.args.size()) {
    uint32_t mask = ins.args[at++];
    auto has = [&](spv::MemoryAccess bit) { return (mask & static_cast<uint32_t>(bit)) != 0; };
    access.isVolatile = has(spv::MemoryAccess::Volatile);
    access.isNontemporal = has(spv::MemoryAccess::Nontemporal);
    if (has(spv::MemoryAccess::Aligned)) {
      if (at == ins.args.size() || !llvm::isPowerOf2_32(ins.args[at]) || ins.args[at] > (1u << 30))
        return error(ins) << "has an alignment that is not a power of two", std::nullopt;
      access.align = ins.args[at++];
    }
    // Aliasing operands are hints and are ignored; each bit has a list of scopes.
    for (spv::MemoryAccess bit : {spv::MemoryAccess::AliasScopeINTELMask, spv::MemoryAccess::NoAliasINTELMask})
      if (has(bit)) {
        const Instruction *list = at < ins.args.size() ? module.definition(ins.args[at++]) : nullptr;
        if (!list || list->op != spv::Op::AliasScopeListDeclINTEL)
          return error(ins) << "has an aliasing operand that is not an OpAliasScopeListDeclINTEL", std::nullopt;
      }
    constexpr uint32_t known = static_cast<uint32_t>(spv::MemoryAccess::Volatile) |
                               static_cast<uint32_t>(spv::MemoryAccess::Nontemporal) |
                               static_cast<uint32_t>(spv::MemoryAccess::Aligned) |
                               static_cast<uint32_t>(spv::MemoryAccess::AliasScopeINTELMask) |
                               static_cast<uint32_t>(spv::MemoryAccess::NoAliasINTELMask);
    if (mask & ~known)
      return error(ins) << "has memory operands 0x" << llvm::utohexstr(mask & ~known) << ", which are not supported",
             std::nullopt;
  }
  if (end)
    *end = at;
  return access;
}

LogicalResult BodyImporter::load(const Instruction &ins) {
  std::optional<MemoryOperands> access = memoryOperands(ins, 1);
  if (!access)
    return failure();
  if (auto pointer = builtInPointer(ins.args[0]))
    return loadBuiltIn(ins, *pointer);
  Value pointer = value(ins.args[0], ins);
  const TypeInfo *info = pointer ? module.memoryType(ins.type, ins) : nullptr;
  if (!info)
    return failure();
  if (!llvm::isa<LLVM::LLVMPointerType>(pointer.getType()) || module.pointeeOf(ins.args[0]) != ins.type)
    return mismatch(ins);
  return define(ins, LLVM::LoadOp::create(builder, loc, info->type, pointer, access->align, access->isVolatile,
                                          access->isNontemporal));
}

LogicalResult BodyImporter::store(const Instruction &ins) {
  std::optional<MemoryOperands> access = memoryOperands(ins, 2);
  Value pointer = access ? value(ins.args[0], ins) : Value();
  Value stored = pointer ? value(ins.args[1], ins) : Value();
  if (!stored)
    return failure();
  const Instruction *valueType = module.typeOf(ins.args[1]);
  if (!llvm::isa<LLVM::LLVMPointerType>(pointer.getType()) || !valueType ||
      module.pointeeOf(ins.args[0]) != valueType->result)
    return mismatch(ins);
  if (!module.memoryType(valueType->result, ins))
    return failure();
  LLVM::StoreOp::create(builder, loc, stored, pointer, access->align, access->isVolatile, access->isNontemporal);
  return success();
}

LogicalResult BodyImporter::variable(const Instruction &ins) {
  if (static_cast<spv::StorageClass>(ins.args[0]) != spv::StorageClass::Function)
    return error(ins) << "is in a function and has a Storage Class other than Function";
  Type type = resultType(ins);
  const TypeInfo *info = type ? module.memoryType(module.pointeeOf(ins.result), ins) : nullptr;
  if (!info)
    return failure();
  if (info->size > MaxPrivateBytes)
    return error(ins) << "has " << info->size << " bytes, must be at most " << MaxPrivateBytes;
  if (builder.getBlock() != constants_) // a rule of SPIR-V; an alloca in a loop would grow the stack
    return error(ins) << "is not in its function's entry block";
  uint64_t align = std::max<uint64_t>(info->align, module.declaredAlignment(ins.result));
  Value one = value32(1);
  Value address = LLVM::AllocaOp::create(builder, loc, type, info->type, one, static_cast<unsigned>(align));
  if (failed(define(ins, address)))
    return failure();
  if (ins.args.size() < 2)
    return success();
  Value initial = value(ins.args[1], ins);
  if (!initial)
    return failure();
  if (initial.getType() != info->type)
    return mismatch(ins);
  LLVM::StoreOp::create(builder, loc, initial, address, static_cast<unsigned>(align));
  return success();
}

/// Returns an i32 constant for the size of an alloca, one per function and value.
Value BodyImporter::value32(int32_t number) {
  Value &known = sizes_[number];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(constants_);
    known = constantInt(builder.getI32Type(), static_cast<uint64_t>(number));
    if (!lastConstant_)
      lastConstant_ = known.getDefiningOp();
  }
  return known;
}

} // namespace kiln::import
