// Loads, stores and private variables, as the `llvm` dialect, so that MLIR's mem2reg and SROA apply.
#include "dialects/import/Memory.h"
#include "dialects/import/BuiltInVariables.h"
#include "dialects/import/Instructions.h"

using namespace mlir;

namespace kiln::import {
namespace {
constexpr uint64_t MaxPrivateBytes = uint64_t(1) << 31; // of one variable

LogicalResult load(Body &body, const Instruction &ins) {
  std::optional<MemoryOperands> access = memoryOperands(body, ins, 1);
  if (!access)
    return failure();
  if (auto pointer = builtInPointer(body, ins.args[0]))
    return loadBuiltIn(body, ins, *pointer);
  Value pointer = body.value(ins.args[0], ins);
  const TypeInfo *info = pointer ? body.module.memoryType(ins.type, ins) : nullptr;
  if (!info)
    return failure();
  if (!llvm::isa<LLVM::LLVMPointerType>(pointer.getType()) || body.module.pointeeOf(ins.args[0]) != ins.type)
    return body.mismatch(ins);
  return body.define(ins, LLVM::LoadOp::create(body.builder, body.loc, info->type, pointer, access->align,
                                               access->isVolatile, access->isNontemporal));
}

LogicalResult store(Body &body, const Instruction &ins) {
  std::optional<MemoryOperands> access = memoryOperands(body, ins, 2);
  Value pointer = access ? body.value(ins.args[0], ins) : Value();
  Value stored = pointer ? body.value(ins.args[1], ins) : Value();
  if (!stored)
    return failure();
  const Instruction *valueType = body.module.typeOf(ins.args[1]);
  if (!llvm::isa<LLVM::LLVMPointerType>(pointer.getType()) || !valueType ||
      body.module.pointeeOf(ins.args[0]) != valueType->result)
    return body.mismatch(ins);
  if (!body.module.memoryType(valueType->result, ins))
    return failure();
  LLVM::StoreOp::create(body.builder, body.loc, stored, pointer, access->align, access->isVolatile,
                        access->isNontemporal);
  return success();
}

LogicalResult variable(Body &body, const Instruction &ins) {
  if (static_cast<spv::StorageClass>(ins.args[0]) != spv::StorageClass::Function)
    return body.error(ins) << "is in a function and has a Storage Class other than Function";
  Type type = body.resultType(ins);
  const TypeInfo *info = type ? body.module.memoryType(body.module.pointeeOf(ins.result), ins) : nullptr;
  if (!info)
    return failure();
  if (info->size > MaxPrivateBytes)
    return body.error(ins) << "has " << info->size << " bytes, must be at most " << MaxPrivateBytes;
  if (body.builder.getBlock() != body.constants()) // a rule of SPIR-V; an alloca in a loop would grow the stack
    return body.error(ins) << "is not in its function's entry block";
  uint64_t align = std::max<uint64_t>(info->align, body.module.declaredAlignment(ins.result));
  Value one = body.value32(1);
  Value address = LLVM::AllocaOp::create(body.builder, body.loc, type, info->type, one, static_cast<unsigned>(align));
  if (failed(body.define(ins, address)))
    return failure();
  if (ins.args.size() < 2)
    return success();
  Value initial = body.value(ins.args[1], ins);
  if (!initial)
    return failure();
  if (initial.getType() != info->type)
    return body.mismatch(ins);
  LLVM::StoreOp::create(body.builder, body.loc, initial, address, static_cast<unsigned>(align));
  return success();
}
} // namespace

/// Reads the optional memory operands at args[first]. Sets `end` to the index after them.
std::optional<MemoryOperands> memoryOperands(Body &body, const Instruction &ins, size_t first, size_t *end) {
  MemoryOperands access;
  size_t at = first;
  if (at < ins.args.size()) {
    uint32_t mask = ins.args[at++];
    auto has = [&](spv::MemoryAccess bit) { return (mask & static_cast<uint32_t>(bit)) != 0; };
    access.isVolatile = has(spv::MemoryAccess::Volatile);
    access.isNontemporal = has(spv::MemoryAccess::Nontemporal);
    if (has(spv::MemoryAccess::Aligned)) {
      if (at == ins.args.size() || !llvm::isPowerOf2_32(ins.args[at]) || ins.args[at] > (1u << 30))
        return body.error(ins) << "has an alignment that is not a power of two", std::nullopt;
      access.align = ins.args[at++];
    }
    // Aliasing operands are hints and are ignored; each bit has a list of scopes.
    for (spv::MemoryAccess bit : {spv::MemoryAccess::AliasScopeINTELMask, spv::MemoryAccess::NoAliasINTELMask})
      if (has(bit)) {
        const Instruction *list = at < ins.args.size() ? body.module.definition(ins.args[at++]) : nullptr;
        if (!list || list->op != spv::Op::AliasScopeListDeclINTEL)
          return body.error(ins) << "has an aliasing operand that is not an OpAliasScopeListDeclINTEL", std::nullopt;
      }
    constexpr uint32_t known = static_cast<uint32_t>(spv::MemoryAccess::Volatile) |
                               static_cast<uint32_t>(spv::MemoryAccess::Nontemporal) |
                               static_cast<uint32_t>(spv::MemoryAccess::Aligned) |
                               static_cast<uint32_t>(spv::MemoryAccess::AliasScopeINTELMask) |
                               static_cast<uint32_t>(spv::MemoryAccess::NoAliasINTELMask);
    if (mask & ~known)
      return body.error(ins) << "has memory operands 0x" << llvm::utohexstr(mask & ~known)
                             << ", which are not supported",
             std::nullopt;
  }
  if (end)
    *end = at;
  return access;
}

void addMemory(InstructionTable &table) {
  table.add(spv::Op::Variable, variable);
  table.add(spv::Op::Load, load);
  table.add(spv::Op::Store, store);
}

} // namespace kiln::import
