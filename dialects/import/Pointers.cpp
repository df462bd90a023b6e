// Addresses: access chains, casts, comparisons, differences.
#include "dialects/import/BodyImporter.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::import {
namespace {
bool isPointer(Value value) { return llvm::isa<LLVM::LLVMPointerType>(value.getType()); }

bool isZero(const LLVM::GEPArg &index) {
  return llvm::isa<LLVM::GEPConstantIndex>(index) && llvm::cast<LLVM::GEPConstantIndex>(index) == 0;
}
} // namespace

/// Returns true for queues, events and reservations, which are lifted as integers.
bool BodyImporter::isHandle(uint32_t typeId) {
  const Instruction *type = module.definition(typeId);
  return type &&
         (type->op == spv::Op::TypeQueue || type->op == spv::Op::TypeDeviceEvent || type->op == spv::Op::TypeReserveId);
}

/// Casts an integer to a handle. The front end's null handle has all bits set, Kiln's is 0.
LogicalResult BodyImporter::castHandle(const Instruction &ins, Value number, Type type) {
  if (number.getType() != type || !type.isInteger(64))
    return mismatch(ins);
  Value isNull = make<arith::CmpIOp>(arith::CmpIPredicate::eq, number, constantInt(type, UINT64_MAX));
  return define(ins, make<arith::SelectOp>(isNull, constantInt(type, 0), number));
}

ImportResult BodyImporter::importPointer(const Instruction &ins) {
  switch (ins.op) {
  case spv::Op::AccessChain:
    return importResult(accessChain(ins, false, false));
  case spv::Op::InBoundsAccessChain:
    return importResult(accessChain(ins, false, true));
  case spv::Op::PtrAccessChain:
    return importResult(accessChain(ins, true, false));
  case spv::Op::InBoundsPtrAccessChain:
    return importResult(accessChain(ins, true, true));
  case spv::Op::PtrCastToGeneric:
  case spv::Op::GenericCastToPtr: {
    Values in;
    Type type = resultType(ins);
    if (!type || !operands(ins, in, 1))
      return ImportResult::Failure;
    if (!isPointer(in[0]) || !llvm::isa<LLVM::LLVMPointerType>(type))
      return importResult(mismatch(ins));
    return importResult(define(ins, castPointer(in[0], type)));
  }
  case spv::Op::GenericCastToPtrExplicit:
    return importResult(castExplicitly(ins));
  case spv::Op::GenericPtrMemSemantics:
    return importResult(semanticsOf(ins));
  case spv::Op::ConvertPtrToU:
  case spv::Op::ConvertUToPtr: {
    Values in;
    Type type = resultType(ins);
    if (!type || !operands(ins, in, 1))
      return ImportResult::Failure;
    if (isHandle(ins.type) || isHandle(module.definition(ins.args[0])->type))
      return importResult(castHandle(ins, in[0], type));
    bool toInt = ins.op == spv::Op::ConvertPtrToU;
    if (isPointer(in[0]) != toInt || !llvm::isa<IntegerType>(toInt ? type : in[0].getType()) ||
        llvm::isa<LLVM::LLVMPointerType>(type) == toInt)
      return importResult(mismatch(ins));
    return importResult(define(ins, toInt ? Value(LLVM::PtrToIntOp::create(builder, loc, type, in[0]))
                                          : Value(LLVM::IntToPtrOp::create(builder, loc, type, in[0]))));
  }
  case spv::Op::PtrEqual:
  case spv::Op::PtrNotEqual: {
    Values in;
    if (!operands(ins, in, 2))
      return ImportResult::Failure;
    if (!isPointer(in[0]) || in[0].getType() != in[1].getType())
      return importResult(mismatch(ins));
    auto predicate = ins.op == spv::Op::PtrEqual ? LLVM::ICmpPredicate::eq : LLVM::ICmpPredicate::ne;
    return importResult(define(ins, LLVM::ICmpOp::create(builder, loc, builder.getI1Type(), predicate, in[0], in[1])));
  }
  case spv::Op::PtrDiff: {
    Values in;
    Type type = resultType(ins);
    if (!type || !operands(ins, in, 2))
      return ImportResult::Failure;
    const TypeInfo *pointee = module.memoryType(module.pointeeOf(ins.args[0]), ins);
    if (!pointee)
      return ImportResult::Failure;
    if (!isPointer(in[0]) || in[0].getType() != in[1].getType() || !llvm::isa<IntegerType>(type) || !pointee->size)
      return importResult(mismatch(ins));
    Type i64 = builder.getI64Type();
    Value bytes = make<arith::SubIOp>(LLVM::PtrToIntOp::create(builder, loc, i64, in[0]).getResult(),
                                      LLVM::PtrToIntOp::create(builder, loc, i64, in[1]).getResult());
    Value count = make<arith::DivSIOp>(bytes, constantInt(i64, pointee->size));
    unsigned width = type.getIntOrFloatBitWidth();
    if (width < 64)
      count = make<arith::TruncIOp>(type, count);
    return importResult(define(ins, count));
  }
  default:
    return ImportResult::NotHandled;
  }
}

Value BodyImporter::castPointer(Value pointer, Type type) {
  if (pointer.getType() == type)
    return pointer;
  return LLVM::AddrSpaceCastOp::create(builder, loc, type, pointer);
}

/// Returns a pointer in the named address space if the generic pointer points into it, else null.
LogicalResult BodyImporter::castExplicitly(const Instruction &ins) {
  Values in;
  Type type = resultType(ins);
  if (!type || !operands(ins, in, 1))
    return failure();
  auto to = llvm::dyn_cast<LLVM::LLVMPointerType>(type);
  auto from = llvm::dyn_cast<LLVM::LLVMPointerType>(in[0].getType());
  if (!to || !from || from.getAddressSpace() != ocl::Generic || module.definition(ins.type)->args[0] != ins.args[1])
    return mismatch(ins);
  std::optional<ocl::NamedSpace> space = ocl::symbolizeNamedSpace(to.getAddressSpace());
  if (!space)
    return mismatch(ins);
  Value isThere = make<ocl::IsAddrSpaceOp>(*space, in[0]);
  return define(ins, make<arith::SelectOp>(isThere, castPointer(in[0], type), zero(type)));
}

/// Returns the memory semantics bits of a generic pointer's address space. Private memory has no bit: OpenCL C's
/// get_fence returns local or global.
LogicalResult BodyImporter::semanticsOf(const Instruction &ins) {
  Values in;
  Type type = resultType(ins);
  if (!type || !operands(ins, in, 1))
    return failure();
  auto from = llvm::dyn_cast<LLVM::LLVMPointerType>(in[0].getType());
  if (!from || from.getAddressSpace() != ocl::Generic || !type.isInteger(32))
    return mismatch(ins);
  Value isLocal = make<ocl::IsAddrSpaceOp>(ocl::NamedSpace::local, in[0]);
  auto bits = [&](spv::MemorySemantics memory) { return constantInt(type, static_cast<uint64_t>(memory)); };
  Value local = bits(spv::MemorySemantics::WorkgroupMemory), global = bits(spv::MemorySemantics::CrossWorkgroupMemory);
  return define(ins, make<arith::SelectOp>(isLocal, local, global));
}

/// Builds one GEP, or two if the last index selects a vector component: LLVM discourages GEP indices into vectors.
LogicalResult BodyImporter::accessChain(const Instruction &ins, bool hasElement, bool inBounds) {
  if (auto pointer = builtInPointer(ins.args[0]))
    return builtInAccess(ins, *pointer);
  Value base = value(ins.args[0], ins);
  Type type = base ? resultType(ins) : Type();
  if (!type)
    return failure();
  uint32_t typeId = module.pointeeOf(ins.args[0]);
  const TypeInfo *pointee = module.memoryType(typeId, ins);
  if (!pointee)
    return failure();
  if (!isPointer(base) || type != base.getType())
    return mismatch(ins);

  auto flags = inBounds ? LLVM::GEPNoWrapFlags::inbounds : LLVM::GEPNoWrapFlags::none;
  SmallVector<LLVM::GEPArg> indices;
  auto addIndex = [&](uint32_t id) -> LogicalResult {
    Value index = value(id, ins);
    if (!index)
      return failure();
    if (!llvm::isa<IntegerType>(index.getType()) || index.getType().isInteger(1))
      return mismatch(ins);
    llvm::APInt known; // GEPOp stores constants of up to 29 bits and a sign
    if (matchPattern(index, m_ConstantInt(&known)) && known.isSignedIntN(29))
      indices.push_back(static_cast<int32_t>(known.getSExtValue()));
    else
      indices.push_back(index);
    return success();
  };
  auto address = [&](Type element) {
    if (indices.size() > 1 || !isZero(indices.front()))
      base = LLVM::GEPOp::create(builder, loc, type, element, base, indices, flags);
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
    const Instruction *composite = module.definition(typeId);
    switch (composite->op) {
    case spv::Op::TypeArray:
      typeId = composite->args[0];
      if (failed(addIndex(id)))
        return failure();
      break;
    case spv::Op::TypeStruct: {
      std::optional<uint64_t> member = module.integer(id);
      if (!member || *member >= composite->args.size())
        return error(ins) << "has an index that is not a constant member index of its struct";
      typeId = composite->args[*member];
      indices.push_back(static_cast<int32_t>(*member));
      break;
    }
    case spv::Op::TypeVector:
      address(element);
      typeId = composite->args[0];
      element = module.typeInfo(typeId)->type;
      indices.clear();
      if (failed(addIndex(id)))
        return failure();
      break;
    default:
      return error(ins) << "has more indices than its type has nesting levels";
    }
  }
  address(element);
  if (module.pointeeOf(ins.result) != typeId)
    return mismatch(ins);
  return define(ins, base);
}

} // namespace kiln::import
