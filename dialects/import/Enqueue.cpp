// Device-side enqueue: queues, events, ND-ranges, and the kernels of blocks.
//
// A block's function takes the address of its captured variables, and then pointers to local memory. This file creates
// the kernel that is launched; its first argument is a copy of the captured bytes.
#include "base/abi/KernelAbi.h"
#include "dialects/import/Bits.h"
#include "dialects/import/Instructions.h"
#include "dialects/ocl/IntConstant.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::import {
namespace {
constexpr uint64_t MaxCaptured = 1 << 16; // bytes; limited by the enqueue record (base/abi/EnqueueAbi.h)

/// [a x b] of the given size, with the alignment in its type.
Type bytesOf(MLIRContext *context, uint64_t size, uint64_t align) {
  Type element = align > 8 ? Type(VectorType::get(int64_t(align / 4), IntegerType::get(context, 32)))
                           : Type(IntegerType::get(context, unsigned(align * 8)));
  return LLVM::LLVMArrayType::get(element, llvm::divideCeil(std::max<uint64_t>(size, 1), align));
}
} // namespace

/// Returns the kernel that launches a block's function; creates it on first use.
func::FuncOp ModuleImporter::blockKernel(const Instruction &user, uint32_t invoke, uint64_t size, uint64_t align) {
  auto [known, isNew] = blocks_.try_emplace(std::tuple(invoke, size, align));
  if (!isNew)
    return known->second;
  Function *function = this->function(invoke);
  auto reject = [&](const llvm::Twine &why) { return error(user) << "names a function that " << why, func::FuncOp(); };
  if (!function || !function->op)
    return reject("does not exist");
  FunctionType type = function->op.getFunctionType();
  auto isPointer = [](Type type, std::optional<unsigned> space) {
    auto pointer = llvm::dyn_cast<LLVM::LLVMPointerType>(type);
    return pointer && (!space || pointer.getAddressSpace() == *space);
  };
  if (type.getNumResults() || !type.getNumInputs() || !isPointer(type.getInput(0), {}) ||
      !llvm::all_of(type.getInputs().drop_front(), [&](Type each) { return isPointer(each, ocl::Local); }))
    return reject("is not a block's: its parameters must be a pointer to the captured variables and pointers to local "
                  "memory");
  if (size > MaxCaptured || !llvm::isPowerOf2_64(align) || align > 128)
    return reject("captures " + llvm::Twine(size) + " bytes aligned to " + llvm::Twine(align) + ", must be at most " +
                  llvm::Twine(MaxCaptured) + " and a power of two up to 128");

  OpBuilder b = OpBuilder::atBlockEnd(module_->getBody());
  Location loc = b.getUnknownLoc();
  auto privatePointer = LLVM::LLVMPointerType::get(&context_);
  SmallVector<Type> inputs(type.getInputs());
  inputs[0] = privatePointer;
  auto kernel = func::FuncOp::create(b, loc, uniqueSymbol((name(invoke) + ".block").str()),
                                     FunctionType::get(&context_, inputs, {}));
  kernel->setAttr(ocl::KernelAttr, b.getUnitAttr());
  kernel->setAttr(ocl::BlockAttr, b.getUnitAttr());
  auto captured = llvm::cast<LLVM::LLVMArrayType>(bytesOf(&context_, size, align));
  kernel.setArgAttr(0, ocl::ArgByValueAttr, TypeAttr::get(captured));
  Block *entry = kernel.addEntryBlock();
  b.setInsertionPointToStart(entry);
  Value one = intConstant(b, loc, 1, 32);
  Value copy = LLVM::AllocaOp::create(b, loc, privatePointer, captured, one, unsigned(align));
  for (uint64_t i = 0; i < captured.getNumElements(); ++i) {
    auto part = [&](Value base) -> Value {
      return LLVM::GEPOp::create(b, loc, privatePointer, captured, base, ArrayRef<LLVM::GEPArg>{0, int32_t(i)});
    };
    Value bits = LLVM::LoadOp::create(b, loc, captured.getElementType(), part(entry->getArgument(0)),
                                      unsigned(std::min(align, abi::MaxArgumentAlignment)));
    LLVM::StoreOp::create(b, loc, bits, part(copy), unsigned(align));
  }
  SmallVector<Value> operands(entry->getArguments());
  operands[0] = copy;
  if (type.getInput(0) != privatePointer)
    operands[0] = LLVM::AddrSpaceCastOp::create(b, loc, type.getInput(0), copy);
  func::CallOp::create(b, loc, function->op, operands);
  func::ReturnOp::create(b, loc);
  return known->second = kernel;
}

/// Removes the entry points that producers write for blocks. The host cannot launch them: they take a generic pointer.
void ModuleImporter::dropBlockEntries() {
  llvm::erase_if(entryPoints_, [&](const EntryPoint &entry) {
    Function *function = this->function(entry.function);
    if (!function || function->params.empty())
      return false;
    const Instruction *type = definition(function->params[0]->type);
    return type && type->op == spv::Op::TypePointer &&
           static_cast<spv::StorageClass>(type->args[0]) == spv::StorageClass::Generic;
  });
}

namespace {
Value arena(Body &body) {
  return ocl::EnqueueArenaOp::create(body.builder, body.loc,
                                     LLVM::LLVMPointerType::get(body.builder.getContext(), ocl::Global));
}

/// Expands a size_t, or an array of up to three, to three numbers; missing ones are 0.
bool rangeNumbers(Body &body, const Instruction &ins, Value given, unsigned &count, Values &numbers) {
  Type word = body.builder.getI64Type();
  auto array = llvm::dyn_cast<LLVM::LLVMArrayType>(given.getType());
  if (given.getType() != word && (!array || array.getElementType() != word || array.getNumElements() > 3))
    return (void)body.mismatch(ins), false;
  count = array ? array.getNumElements() : 1;
  for (unsigned d = 0; d < 3; ++d)
    numbers.push_back(d >= count ? body.constantInt(word, 0)
                      : array    ? body.make<LLVM::ExtractValueOp>(given, ArrayRef<int64_t>{d})
                                 : given);
  return true;
}

LogicalResult buildRange(Body &body, const Instruction &ins) {
  Values in; // global size, local size, global offset
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, 3))
    return failure();
  Type word = body.builder.getI64Type(), three = LLVM::LLVMArrayType::get(word, 3);
  if (type !=
      LLVM::LLVMStructType::getLiteral(body.builder.getContext(), {body.builder.getI32Type(), three, three, three}))
    return body.mismatch(ins);
  Value range = LLVM::UndefOp::create(body.builder, body.loc, type);
  unsigned dimensions = 0;
  for (auto [given, member] : {std::pair(in[2], 1), std::pair(in[1], 3), std::pair(in[0], 2)}) {
    Values numbers;
    if (!rangeNumbers(body, ins, given, dimensions, numbers)) // the global size is last and determines `dimensions`
      return failure();
    for (int64_t d = 0; d < 3; ++d)
      range =
          LLVM::InsertValueOp::create(body.builder, body.loc, range, numbers[size_t(d)], ArrayRef<int64_t>{member, d});
  }
  range = LLVM::InsertValueOp::create(body.builder, body.loc, range,
                                      body.constantInt(body.builder.getI32Type(), dimensions), ArrayRef<int64_t>{0});
  return body.define(ins, range);
}

/// Unpacks an ND-range, a struct or a pointer to one: dimensions, then offset, global size and local size.
bool unpackRange(Body &body, const Instruction &ins, uint32_t id, Value &dimensions, Values &numbers) {
  Value range = body.value(id, ins);
  if (!range)
    return false;
  Type word = body.builder.getI64Type(), three = LLVM::LLVMArrayType::get(word, 3);
  Type wanted =
      LLVM::LLVMStructType::getLiteral(body.builder.getContext(), {body.builder.getI32Type(), three, three, three});
  if (llvm::isa<LLVM::LLVMPointerType>(range.getType())) {
    const TypeInfo *pointee = body.module.typeInfo(body.module.pointeeOf(id));
    if (!pointee || pointee->type != wanted)
      return (void)body.mismatch(ins), false;
    auto part = [&](Type type, ArrayRef<LLVM::GEPArg> path) -> Value {
      Value address = LLVM::GEPOp::create(body.builder, body.loc, range.getType(), wanted, range, path);
      return LLVM::LoadOp::create(body.builder, body.loc, type, address);
    };
    dimensions = part(body.builder.getI32Type(), {0, 0});
    for (int32_t member : {1, 2, 3})
      for (int32_t d = 0; d < 3; ++d)
        numbers.push_back(part(word, {0, member, d}));
    return true;
  }
  if (range.getType() != wanted)
    return (void)body.mismatch(ins), false;
  dimensions = body.make<LLVM::ExtractValueOp>(range, ArrayRef<int64_t>{0});
  for (int64_t member : {1, 2, 3})
    for (int64_t d = 0; d < 3; ++d)
      numbers.push_back(body.make<LLVM::ExtractValueOp>(range, ArrayRef<int64_t>{member, d}));
  return true;
}

/// Returns the index of the block at args[at]: its function, captured bytes, their size and alignment.
Value blockAt(Body &body, const Instruction &ins, size_t at, uint64_t *bytes) {
  std::optional<uint64_t> size = body.module.integer(ins.args[at + 2]), align = body.module.integer(ins.args[at + 3]);
  if (!size || !align)
    return body.error(ins) << "has a Param Size or Param Align that is not a constant, which is not supported", Value();
  func::FuncOp kernel = body.module.blockKernel(ins, ins.args[at], *size, std::max<uint64_t>(*align, 1));
  if (!kernel)
    return {};
  if (bytes)
    *bytes = *size;
  return ocl::BlockNumberOp::create(body.builder, body.loc, body.builder.getI32Type(), kernel.getSymName());
}

LogicalResult enqueueKernel(Body &body, const Instruction &ins) {
  constexpr size_t Invoke = 6, Captured = 7, FirstLocal = 10;
  Type type = body.resultType(ins), word = body.builder.getI64Type(), number = body.builder.getI32Type();
  Value queue = body.value(ins.args[0], ins), flags = body.value(ins.args[1], ins),
        waits = body.value(ins.args[3], ins), events = body.value(ins.args[4], ins),
        event = body.value(ins.args[5], ins), captured = body.value(ins.args[Captured], ins);
  if (!type || !queue || !flags || !waits || !events || !event || !captured)
    return failure();
  auto isPointer = [](Value given) { return llvm::isa<LLVM::LLVMPointerType>(given.getType()); };
  if (type != number || queue.getType() != word || flags.getType() != number || waits.getType() != number ||
      !isPointer(events) || !isPointer(event) || !isPointer(captured))
    return body.mismatch(ins);
  Value dimensions;
  Values range;
  uint64_t bytes;
  if (!unpackRange(body, ins, ins.args[2], dimensions, range))
    return failure();
  Value block = blockAt(body, ins, Invoke, &bytes);
  if (!block)
    return failure();

  ArrayRef<uint32_t> sizes = ArrayRef(ins.args).drop_front(FirstLocal);
  if (sizes.size() + 1 != body.module.function(ins.args[Invoke])->params.size())
    return body.error(ins) << "has " << sizes.size() << " Local Size operands, its block has "
                           << body.module.function(ins.args[Invoke])->params.size() - 1 << " local memory parameters";
  // One array for all sizes. They are i32 values, or pointers to i64 values if the translator passes on what its
  // front end wrote.
  auto pointer = LLVM::LLVMPointerType::get(body.builder.getContext());
  Type array = LLVM::LLVMArrayType::get(number, std::max<size_t>(sizes.size(), 1));
  Value list;
  {
    OpBuilder::InsertionGuard guard(body.builder);
    Block *entry = &body.builder.getBlock()->getParent()->front();
    body.builder.setInsertionPointToStart(entry);
    Value one = intConstant(body.builder, body.loc, 1, 32);
    list = LLVM::AllocaOp::create(body.builder, body.loc, pointer, array, one);
  }
  for (auto [index, id] : llvm::enumerate(sizes)) {
    Value size = body.value(id, ins);
    if (!size)
      return failure();
    if (isPointer(size))
      size = LLVM::LoadOp::create(body.builder, body.loc, word, size);
    if (!size.getType().isInteger(32) && !size.getType().isInteger(64))
      return body.mismatch(ins);
    Value slot =
        LLVM::GEPOp::create(body.builder, body.loc, pointer, array, list, ArrayRef<LLVM::GEPArg>{0, int32_t(index)});
    LLVM::StoreOp::create(body.builder, body.loc, resize(body, size, number), slot);
  }
  return body.define(ins, ocl::EnqueueKernelOp::create(body.builder, body.loc, number, arena(body), queue, flags,
                                                       dimensions, range, waits, events, event, block, captured,
                                                       body.constantInt(number, bytes),
                                                       body.constantInt(number, sizes.size()), list));
}

LogicalResult enqueueMarker(Body &body, const Instruction &ins) {
  Values in; // queue, number of events, events, event
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, 4))
    return failure();
  if (!type.isInteger(32) || !in[0].getType().isInteger(64) || !in[1].getType().isInteger(32) ||
      !llvm::isa<LLVM::LLVMPointerType>(in[2].getType()) || !llvm::isa<LLVM::LLVMPointerType>(in[3].getType()))
    return body.mismatch(ins);
  return body.define(
      ins, ocl::EnqueueMarkerOp::create(body.builder, body.loc, type, arena(body), in[0], in[1], in[2], in[3]));
}

LogicalResult deviceEvent(Body &body, const Instruction &ins) {
  Values in;
  if (!body.operands(ins, in, ins.args.size()))
    return failure();
  if (ins.op == spv::Op::CreateUserEvent)
    return body.define(ins,
                       ocl::CreateUserEventOp::create(body.builder, body.loc, body.builder.getI64Type(), arena(body)));
  if (!in[0].getType().isInteger(64))
    return body.mismatch(ins);
  switch (ins.op) {
  case spv::Op::RetainEvent:
    ocl::RetainEventOp::create(body.builder, body.loc, arena(body), in[0]);
    return success();
  case spv::Op::ReleaseEvent:
    ocl::ReleaseEventOp::create(body.builder, body.loc, arena(body), in[0]);
    return success();
  case spv::Op::IsValidEvent: {
    Value valid = ocl::IsValidEventOp::create(body.builder, body.loc, body.builder.getI32Type(), arena(body), in[0]);
    return body.define(ins,
                       body.make<arith::CmpIOp>(arith::CmpIPredicate::ne, valid, body.constantInt(valid.getType(), 0)));
  }
  case spv::Op::SetUserEventStatus:
    if (!in[1].getType().isInteger(32))
      return body.mismatch(ins);
    ocl::SetUserEventStatusOp::create(body.builder, body.loc, arena(body), in[0], in[1]);
    return success();
  default: // CaptureEventProfilingInfo
    if (!in[1].getType().isInteger(32) || !llvm::isa<LLVM::LLVMPointerType>(in[2].getType()))
      return body.mismatch(ins);
    ocl::CaptureEventProfilingOp::create(body.builder, body.loc, arena(body), in[0], in[1], in[2]);
    return success();
  }
}

LogicalResult blockQuery(Body &body, const Instruction &ins) {
  const bool hasRange =
      ins.op == spv::Op::GetKernelNDrangeSubGroupCount || ins.op == spv::Op::GetKernelNDrangeMaxSubGroupSize;
  const bool hasCount = ins.op == spv::Op::GetKernelLocalSizeForSubgroupCount;
  Type type = body.resultType(ins);
  Value block = blockAt(body, ins, hasRange || hasCount, nullptr), dimensions;
  Values range;
  if (!type || !block || (hasRange && !unpackRange(body, ins, ins.args[0], dimensions, range)))
    return failure();
  if (!type.isInteger(32))
    return body.mismatch(ins);
  switch (ins.op) {
  case spv::Op::GetKernelWorkGroupSize:
    return body.define(ins, ocl::BlockWorkGroupSizeOp::create(body.builder, body.loc, type, arena(body), block));
  case spv::Op::GetKernelPreferredWorkGroupSizeMultiple:
    return body.define(ins, ocl::BlockPreferredMultipleOp::create(body.builder, body.loc, type, arena(body), block));
  case spv::Op::GetKernelNDrangeSubGroupCount:
    return body.define(ins, ocl::BlockSubGroupCountOp::create(body.builder, body.loc, type, arena(body), block,
                                                              range[6], range[7], range[8]));
  case spv::Op::GetKernelNDrangeMaxSubGroupSize:
    return body.define(ins, ocl::BlockMaxSubGroupSizeOp::create(body.builder, body.loc, type, arena(body), block,
                                                                range[6], range[7], range[8]));
  case spv::Op::GetKernelLocalSizeForSubgroupCount: {
    Value count = body.value(ins.args[0], ins);
    if (!count || !count.getType().isInteger(32))
      return count ? body.mismatch(ins) : failure();
    return body.define(
        ins, ocl::BlockLocalSizeForSubGroupsOp::create(body.builder, body.loc, type, arena(body), block, count));
  }
  default:
    return body.define(ins, ocl::BlockMaxSubGroupsOp::create(body.builder, body.loc, type, arena(body), block));
  }
}
} // namespace

void addEnqueue(InstructionTable &table) {
  table.add(spv::Op::BuildNDRange, buildRange);
  table.add(spv::Op::GetDefaultQueue, [](Body &body, const Instruction &ins) {
    return body.define(ins,
                       ocl::DefaultQueueOp::create(body.builder, body.loc, body.builder.getI64Type(), arena(body)));
  });
  table.add(spv::Op::EnqueueKernel, enqueueKernel);
  table.add(spv::Op::EnqueueMarker, enqueueMarker);
  table.add({spv::Op::CreateUserEvent, spv::Op::RetainEvent, spv::Op::ReleaseEvent, spv::Op::IsValidEvent,
             spv::Op::SetUserEventStatus, spv::Op::CaptureEventProfilingInfo},
            deviceEvent);
  table.add({spv::Op::GetKernelWorkGroupSize, spv::Op::GetKernelPreferredWorkGroupSizeMultiple,
             spv::Op::GetKernelNDrangeSubGroupCount, spv::Op::GetKernelNDrangeMaxSubGroupSize,
             spv::Op::GetKernelLocalSizeForSubgroupCount, spv::Op::GetKernelMaxNumSubgroups},
            blockQuery);
}

} // namespace kiln::import
