// Addresses: access chains, casts, comparisons, differences.
#include "dialects/import/BuiltInVariables.h"
#include "dialects/import/Instructions.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::import {
namespace {
bool isPointer(Value value) { return llvm::isa<LLVM::LLVMPointerType>(value.getType()); }

bool isZero(const LLVM::GEPArg &index) {
  return llvm::isa<LLVM::GEPConstantIndex>(index) && llvm::cast<LLVM::GEPConstantIndex>(index) == 0;
}

/// Returns true for queues, events and reservations, which are lifted as integers.
bool isHandle(Body &body, uint32_t typeId) {
  const Instruction *type = body.module.definition(typeId);
  return type &&
         (type->op == spv::Op::TypeQueue || type->op == spv::Op::TypeDeviceEvent || type->op == spv::Op::TypeReserveId);
}

/// Casts an integer to a handle. The front end's null handle has all bits set, Kiln's is 0.
LogicalResult castHandle(Body &body, const Instruction &ins, Value number, Type type) {
  if (number.getType() != type || !type.isInteger(64))
    return body.mismatch(ins);
  Value isNull = body.make<arith::CmpIOp>(arith::CmpIPredicate::eq, number, body.constantInt(type, UINT64_MAX));
  return body.define(ins, body.make<arith::SelectOp>(isNull, body.constantInt(type, 0), number));
}

Value castPointer(Body &body, Value pointer, Type type) {
  if (pointer.getType() == type)
    return pointer;
  return LLVM::AddrSpaceCastOp::create(body.builder, body.loc, type, pointer);
}

LogicalResult castSpace(Body &body, const Instruction &ins) {
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, 1))
    return failure();
  if (!isPointer(in[0]) || !llvm::isa<LLVM::LLVMPointerType>(type))
    return body.mismatch(ins);
  return body.define(ins, castPointer(body, in[0], type));
}

LogicalResult convert(Body &body, const Instruction &ins) {
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, 1))
    return failure();
  if (isHandle(body, ins.type) || isHandle(body, body.module.definition(ins.args[0])->type))
    return castHandle(body, ins, in[0], type);
  bool toInt = ins.op == spv::Op::ConvertPtrToU;
  if (isPointer(in[0]) != toInt || !llvm::isa<IntegerType>(toInt ? type : in[0].getType()) ||
      llvm::isa<LLVM::LLVMPointerType>(type) == toInt)
    return body.mismatch(ins);
  return body.define(ins, toInt ? Value(LLVM::PtrToIntOp::create(body.builder, body.loc, type, in[0]))
                                : Value(LLVM::IntToPtrOp::create(body.builder, body.loc, type, in[0])));
}

LogicalResult compare(Body &body, const Instruction &ins) {
  Values in;
  if (!body.operands(ins, in, 2))
    return failure();
  if (!isPointer(in[0]) || in[0].getType() != in[1].getType())
    return body.mismatch(ins);
  auto predicate = ins.op == spv::Op::PtrEqual ? LLVM::ICmpPredicate::eq : LLVM::ICmpPredicate::ne;
  return body.define(ins,
                     LLVM::ICmpOp::create(body.builder, body.loc, body.builder.getI1Type(), predicate, in[0], in[1]));
}

LogicalResult difference(Body &body, const Instruction &ins) {
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, 2))
    return failure();
  const TypeInfo *pointee = body.module.memoryType(body.module.pointeeOf(ins.args[0]), ins);
  if (!pointee)
    return failure();
  if (!isPointer(in[0]) || in[0].getType() != in[1].getType() || !llvm::isa<IntegerType>(type) || !pointee->size)
    return body.mismatch(ins);
  Type i64 = body.builder.getI64Type();
  Value bytes = body.make<arith::SubIOp>(LLVM::PtrToIntOp::create(body.builder, body.loc, i64, in[0]).getResult(),
                                         LLVM::PtrToIntOp::create(body.builder, body.loc, i64, in[1]).getResult());
  Value count = body.make<arith::DivSIOp>(bytes, body.constantInt(i64, pointee->size));
  unsigned width = type.getIntOrFloatBitWidth();
  if (width < 64)
    count = body.make<arith::TruncIOp>(type, count);
  return body.define(ins, count);
}

/// Returns a pointer in the named address space if the generic pointer points into it, else null.
LogicalResult castExplicitly(Body &body, const Instruction &ins) {
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, 1))
    return failure();
  auto to = llvm::dyn_cast<LLVM::LLVMPointerType>(type);
  auto from = llvm::dyn_cast<LLVM::LLVMPointerType>(in[0].getType());
  if (!to || !from || from.getAddressSpace() != ocl::Generic ||
      body.module.definition(ins.type)->args[0] != ins.args[1])
    return body.mismatch(ins);
  std::optional<ocl::NamedSpace> space = ocl::symbolizeNamedSpace(to.getAddressSpace());
  if (!space)
    return body.mismatch(ins);
  Value isThere = body.make<ocl::IsAddrSpaceOp>(*space, in[0]);
  return body.define(ins, body.make<arith::SelectOp>(isThere, castPointer(body, in[0], type), body.zero(type)));
}

/// Returns the memory semantics bits of a generic pointer's address space. Private memory has no bit: OpenCL C's
/// get_fence returns local or global.
LogicalResult semanticsOf(Body &body, const Instruction &ins) {
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, 1))
    return failure();
  auto from = llvm::dyn_cast<LLVM::LLVMPointerType>(in[0].getType());
  if (!from || from.getAddressSpace() != ocl::Generic || !type.isInteger(32))
    return body.mismatch(ins);
  Value isLocal = body.make<ocl::IsAddrSpaceOp>(ocl::NamedSpace::local, in[0]);
  auto bits = [&](spv::MemorySemantics memory) { return body.constantInt(type, static_cast<uint64_t>(memory)); };
  Value local = bits(spv::MemorySemantics::WorkgroupMemory), global = bits(spv::MemorySemantics::CrossWorkgroupMemory);
  return body.define(ins, body.make<arith::SelectOp>(isLocal, local, global));
}

/// Builds one GEP, or two if the last index selects a vector component: LLVM discourages GEP indices into vectors.
LogicalResult accessChain(Body &body, const Instruction &ins, bool hasElement, bool inBounds) {
  if (auto pointer = builtInPointer(body, ins.args[0]))
    return builtInAccess(body, ins, *pointer);
  Value base = body.value(ins.args[0], ins);
  Type type = base ? body.resultType(ins) : Type();
  if (!type)
    return failure();
  uint32_t typeId = body.module.pointeeOf(ins.args[0]);
  const TypeInfo *pointee = body.module.memoryType(typeId, ins);
  if (!pointee)
    return failure();
  if (!isPointer(base) || type != base.getType())
    return body.mismatch(ins);

  auto flags = inBounds ? LLVM::GEPNoWrapFlags::inbounds : LLVM::GEPNoWrapFlags::none;
  SmallVector<LLVM::GEPArg> indices;
  auto addIndex = [&](uint32_t id) -> LogicalResult {
    Value index = body.value(id, ins);
    if (!index)
      return failure();
    if (!llvm::isa<IntegerType>(index.getType()) || index.getType().isInteger(1))
      return body.mismatch(ins);
    llvm::APInt known; // GEPOp stores constants of up to 29 bits and a sign
    if (matchPattern(index, m_ConstantInt(&known)) && known.isSignedIntN(29))
      indices.push_back(static_cast<int32_t>(known.getSExtValue()));
    else
      indices.push_back(index);
    return success();
  };
  auto address = [&](Type element) {
    if (indices.size() > 1 || !isZero(indices.front()))
      base = LLVM::GEPOp::create(body.builder, body.loc, type, element, base, indices, flags);
  };

  ArrayRef<uint32_t> path = ins.args.drop_front();
  if (hasElement) {
    if (failed(addIndex(path[0])))
      return failure();
    path = path.drop_front();
  } else {
    indices.push_back(0);
  }
  Type element = pointee->type;
  for (uint32_t id : path) {
    const Instruction *composite = body.module.definition(typeId);
    switch (composite->op) {
    case spv::Op::TypeArray:
      typeId = composite->args[0];
      if (failed(addIndex(id)))
        return failure();
      break;
    case spv::Op::TypeStruct: {
      std::optional<uint64_t> member = body.module.integer(id);
      if (!member || *member >= composite->args.size())
        return body.error(ins) << "has an index that is not a constant member index of its struct";
      typeId = composite->args[*member];
      indices.push_back(static_cast<int32_t>(*member));
      break;
    }
    case spv::Op::TypeVector:
    case spv::Op::TypeCooperativeMatrixKHR: // the component of this work-item
      address(element);
      typeId = composite->args[0];
      element = body.module.typeInfo(typeId)->type;
      indices.clear();
      if (failed(addIndex(id)))
        return failure();
      break;
    default:
      return body.error(ins) << "has more indices than its type has nesting levels";
    }
  }
  address(element);
  if (body.module.pointeeOf(ins.result) != typeId)
    return body.mismatch(ins);
  return body.define(ins, base);
}
} // namespace

void addPointers(InstructionTable &table) {
  table.add(spv::Op::AccessChain,
            [](Body &body, const Instruction &ins) { return accessChain(body, ins, false, false); });
  table.add(spv::Op::InBoundsAccessChain,
            [](Body &body, const Instruction &ins) { return accessChain(body, ins, false, true); });
  table.add(spv::Op::PtrAccessChain,
            [](Body &body, const Instruction &ins) { return accessChain(body, ins, true, false); });
  table.add(spv::Op::InBoundsPtrAccessChain,
            [](Body &body, const Instruction &ins) { return accessChain(body, ins, true, true); });
  table.add({spv::Op::PtrCastToGeneric, spv::Op::GenericCastToPtr}, castSpace);
  table.add(spv::Op::GenericCastToPtrExplicit, castExplicitly);
  table.add(spv::Op::GenericPtrMemSemantics, semanticsOf);
  table.add({spv::Op::ConvertPtrToU, spv::Op::ConvertUToPtr}, convert);
  table.add({spv::Op::PtrEqual, spv::Op::PtrNotEqual}, compare);
  table.add(spv::Op::PtrDiff, difference);
}

} // namespace kiln::import
