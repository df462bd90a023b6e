// Copies of memory: OpCopyMemory, OpCopyMemorySized, structs passed by value.
//
// If the type is known, as in most cases, every scalar in it is loaded and stored separately: SROA then splits the
// variable, and each access has the alignment that the copy declares. Large and unknown types become
// llvm.intr.memcpy. MLIR's SROA would split those too, but it does not copy padding, which may carry a union's data,
// and assumes natural alignment, which packed structs do not have. It does not split a copy that covers only a part of
// the variable, so such a copy is emitted in two parts.
#include "dialects/import/CopyMemory.h"
#include "dialects/import/Bits.h"
#include "dialects/import/Instructions.h"
#include "dialects/import/Memory.h"
#include "dialects/ocl/LlvmAttributes.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace kiln::import {
namespace {
constexpr size_t MaxLeaves = 64;

/// Collects the scalars and pointers of a type, in order. Returns false if copying them does not copy the whole type.
class Leaves {
public:
  struct Leaf {
    SmallVector<int32_t> path;
    Type type;
    uint64_t offset;
  };
  explicit Leaves(const ModuleImporter &module) : module_(module) {}

  bool collect(uint32_t typeId, uint64_t offset = 0) {
    const Instruction *type = module_.definition(typeId);
    const TypeInfo *info = module_.typeInfo(typeId);
    if (!type || !info || !info->type || leaves.size() >= MaxLeaves)
      return false;
    switch (type->op) {
    case spv::Op::TypeArray: {
      uint64_t count = llvm::cast<LLVM::LLVMArrayType>(info->type).getNumElements();
      const TypeInfo *element = module_.typeInfo(type->args[0]);
      for (uint64_t i = 0; i < count; ++i)
        if (!part(static_cast<int32_t>(i), type->args[0], offset + i * element->size))
          return false;
      return true;
    }
    case spv::Op::TypeStruct: {
      auto record = llvm::cast<LLVM::LLVMStructType>(info->type);
      uint64_t end = 0;
      llvm::SaveAndRestore idle(idle_, idle_ && paddingIsIdle(typeId));
      for (auto [i, member] : llvm::enumerate(type->args)) {
        const TypeInfo *memberInfo = module_.typeInfo(member);
        uint64_t begin = record.isPacked() ? end : llvm::alignTo(end, memberInfo->align);
        if ((begin != end && !idle_) || !part(static_cast<int32_t>(i), member, offset + begin))
          return false;
        end = begin + memberInfo->size;
      }
      return end == info->size || idle_;
    }
    case spv::Op::TypeVector:
      // Inside a composite, the unused fourth component of a vec3 may hold data of a union.
      if (type->args[1] == 3 && !path_.empty() && !idle_)
        return false;
      [[fallthrough]];
    case spv::Op::TypeInt:
    case spv::Op::TypeFloat:
    case spv::Op::TypePointer:
      leaves.push_back({path_, info->type, offset});
      return true;
    default: // includes booleans, whose other bits may hold data
      return false;
    }
  }

  SmallVector<Leaf> leaves;

private:
  bool part(int32_t index, uint32_t typeId, uint64_t offset) {
    path_.push_back(index);
    bool good = collect(typeId, offset);
    path_.pop_back();
    return good;
  }

  /// Returns true if the type's name shows that it is not a union. A union is lifted as one of its members, and its
  /// other members may use that one's padding. A type without such a name may be a union.
  bool paddingIsIdle(uint32_t typeId) {
    llvm::StringRef name = module_.name(typeId);
    return name.starts_with("struct.") || name.starts_with("class.");
  }

  const ModuleImporter &module_;
  SmallVector<int32_t> path_;
  bool idle_ = true; // the padding of the current type carries no data
};

/// Returns the id of the type that a copy of `size` bytes copies, from the pointer before casts; 0 if unknown.
uint32_t copiedType(Body &body, uint32_t pointerId, uint64_t size) {
  for (unsigned casts = 0; casts < 8; ++casts) {
    uint32_t pointee = body.module.pointeeOf(pointerId);
    const TypeInfo *info = body.module.typeInfo(pointee);
    if (info && info->type && info->size == size)
      return pointee;
    const Instruction *definition = body.module.definition(pointerId);
    if (!definition || (definition->op != spv::Op::Bitcast && definition->op != spv::Op::PtrCastToGeneric &&
                        definition->op != spv::Op::GenericCastToPtr))
      return 0;
    pointerId = definition->args[0];
  }
  return 0;
}

LogicalResult copyMemory(Body &body, const Instruction &ins) {
  bool isSized = ins.op == spv::Op::CopyMemorySized;
  size_t end = 0;
  std::optional<MemoryOperands> target = memoryOperands(body, ins, isSized ? 3 : 2, &end), source;
  if (!target)
    return failure();
  source =
      end < ins.args.size() ? memoryOperands(body, ins, end) : target; // the second memory operands are the source's
  Values pointers;
  if (!source || !body.operands(ins, pointers, 2))
    return failure();
  for (Value pointer : pointers)
    if (!llvm::isa<LLVM::LLVMPointerType>(pointer.getType()))
      return body.mismatch(ins);

  Copy copy{pointers[0],
            pointers[1],
            Value(),
            std::nullopt,
            target->align,
            source->align,
            target->isVolatile || source->isVolatile};
  uint32_t typeId = 0;
  if (isSized) {
    Value size = body.value(ins.args[2], ins);
    if (!size)
      return failure();
    auto type = llvm::dyn_cast<IntegerType>(size.getType());
    if (!type || type.getWidth() < 8)
      return body.mismatch(ins);
    copy.size = body.module.integer(ins.args[2]);
    copy.bytes = resize(body, size, body.builder.getI64Type());
    if (copy.size) {
      typeId = copiedType(body, ins.args[0], *copy.size);
      if (!typeId)
        typeId = copiedType(body, ins.args[1], *copy.size);
    }
  } else {
    typeId = body.module.pointeeOf(ins.args[0]);
    const TypeInfo *info = body.module.memoryType(typeId, ins);
    if (!info)
      return failure();
    if (body.module.pointeeOf(ins.args[1]) != typeId)
      return body.mismatch(ins);
    copy.size = info->size;
  }
  // Without an Aligned operand, the alignment is that of the pointee types.
  auto natural = [&](uint32_t pointerId) {
    const TypeInfo *info = body.module.typeInfo(body.module.pointeeOf(pointerId));
    return info && info->type ? static_cast<unsigned>(info->align) : 1u;
  };
  if (!copy.toAlign)
    copy.toAlign = natural(ins.args[0]);
  if (!copy.fromAlign)
    copy.fromAlign = natural(ins.args[1]);
  copyBytes(body, copy, typeId);
  return success();
}
} // namespace

void copyBytes(Body &body, const Copy &copy, uint32_t typeId) {
  Leaves found(body.module);
  if (!copy.isVolatile && typeId && found.collect(typeId)) {
    Type whole = body.module.typeInfo(typeId)->type;
    auto part = [&](Value base, const Leaves::Leaf &leaf) -> Value {
      if (leaf.path.empty())
        return base;
      SmallVector<LLVM::GEPArg> indices{0};
      indices.append(leaf.path.begin(), leaf.path.end());
      return LLVM::GEPOp::create(body.builder, body.loc, base.getType(), whole, base, indices,
                                 LLVM::GEPNoWrapFlags::inbounds);
    };
    for (const Leaves::Leaf &leaf : found.leaves) {
      auto aligned = [&](unsigned whole) { return static_cast<unsigned>(llvm::MinAlign(whole, leaf.offset)); };
      Value value =
          LLVM::LoadOp::create(body.builder, body.loc, leaf.type, part(copy.from, leaf), aligned(copy.fromAlign));
      LLVM::StoreOp::create(body.builder, body.loc, value, part(copy.to, leaf), aligned(copy.toAlign));
    }
    return;
  }
  auto memcpy = [&](Value to, Value from, Value bytes, uint64_t offset) {
    auto operation = LLVM::MemcpyOp::create(body.builder, body.loc, to, from, bytes, copy.isVolatile);
    auto alignment = [&](unsigned align) { return static_cast<int64_t>(llvm::MinAlign(align, offset)); };
    operation->setAttr(ocl::CopyAlignAttr,
                       body.builder.getDenseI64ArrayAttr({alignment(copy.toAlign), alignment(copy.fromAlign)}));
  };
  Type i64 = body.builder.getI64Type();
  if (copy.size && *copy.size > 1 && !copy.isVolatile) {
    uint64_t half = *copy.size > 16 ? llvm::alignDown(*copy.size / 2, 8) : *copy.size / 2;
    auto behind = [&](Value pointer) -> Value {
      return LLVM::GEPOp::create(body.builder, body.loc, pointer.getType(), body.builder.getI8Type(), pointer,
                                 ArrayRef<LLVM::GEPArg>{body.constantInt(i64, half)}, LLVM::GEPNoWrapFlags::inbounds);
    };
    memcpy(copy.to, copy.from, body.constantInt(i64, half), 0);
    memcpy(behind(copy.to), behind(copy.from), body.constantInt(i64, *copy.size - half), half);
    return;
  }
  memcpy(copy.to, copy.from, copy.size ? body.constantInt(i64, *copy.size) : copy.bytes, 0);
}

void addCopyMemory(InstructionTable &table) { table.add({spv::Op::CopyMemory, spv::Op::CopyMemorySized}, copyMemory); }

} // namespace kiln::import
