// Device-side enqueue: queues, events, ND-ranges, and the kernels of blocks.
//
// A block's function takes the address of its captured variables, and then pointers to local memory. This file creates
// the kernel that is launched; its first argument is a copy of the captured bytes.
#include "base/abi/KernelAbi.h"
#include "dialects/import/BodyImporter.h"
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
  Value one = arith::ConstantIntOp::create(b, loc, 1, 32);
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

ImportResult BodyImporter::importEnqueue(const Instruction &ins) {
  switch (ins.op) {
  case spv::Op::BuildNDRange:
    return importResult(buildRange(ins));
  case spv::Op::GetDefaultQueue:
    return importResult(define(ins, ocl::DefaultQueueOp::create(builder, loc, builder.getI64Type(), arena())));
  case spv::Op::EnqueueKernel:
    return importResult(enqueueKernel(ins));
  case spv::Op::EnqueueMarker:
    return importResult(enqueueMarker(ins));
  case spv::Op::CreateUserEvent:
  case spv::Op::RetainEvent:
  case spv::Op::ReleaseEvent:
  case spv::Op::IsValidEvent:
  case spv::Op::SetUserEventStatus:
  case spv::Op::CaptureEventProfilingInfo:
    return importResult(deviceEvent(ins));
  case spv::Op::GetKernelWorkGroupSize:
  case spv::Op::GetKernelPreferredWorkGroupSizeMultiple:
  case spv::Op::GetKernelNDrangeSubGroupCount:
  case spv::Op::GetKernelNDrangeMaxSubGroupSize:
  case spv::Op::GetKernelLocalSizeForSubgroupCount:
  case spv::Op::GetKernelMaxNumSubgroups:
    return importResult(blockQuery(ins));
  default:
    return ImportResult::NotHandled;
  }
}

Value BodyImporter::arena() {
  return ocl::EnqueueArenaOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext(), ocl::Global));
}

/// Expands a size_t, or an array of up to three, to three numbers; missing ones are 0.
bool BodyImporter::rangeNumbers(const Instruction &ins, Value given, unsigned &count, Values &numbers) {
  Type word = builder.getI64Type();
  auto array = llvm::dyn_cast<LLVM::LLVMArrayType>(given.getType());
  if (given.getType() != word && (!array || array.getElementType() != word || array.getNumElements() > 3))
    return (void)mismatch(ins), false;
  count = array ? array.getNumElements() : 1;
  for (unsigned d = 0; d < 3; ++d)
    numbers.push_back(d >= count ? constantInt(word, 0)
                      : array    ? make<LLVM::ExtractValueOp>(given, ArrayRef<int64_t>{d})
                                 : given);
  return true;
}

LogicalResult BodyImporter::buildRange(const Instruction &ins) {
  Values in; // global size, local size, global offset
  Type type = resultType(ins);
  if (!type || !operands(ins, in, 3))
    return failure();
  Type word = builder.getI64Type(), three = LLVM::LLVMArrayType::get(word, 3);
  if (type != LLVM::LLVMStructType::getLiteral(builder.getContext(), {builder.getI32Type(), three, three, three}))
    return mismatch(ins);
  Value range = LLVM::UndefOp::create(builder, loc, type);
  unsigned dimensions = 0;
  for (auto [given, member] : {std::pair(in[2], 1), std::pair(in[1], 3), std::pair(in[0], 2)}) {
    Values numbers;
    if (!rangeNumbers(ins, given, dimensions, numbers)) // the global size is last and determines `dimensions`
      return failure();
    for (int64_t d = 0; d < 3; ++d)
      range = LLVM::InsertValueOp::create(builder, loc, range, numbers[size_t(d)], ArrayRef<int64_t>{member, d});
  }
  range = LLVM::InsertValueOp::create(builder, loc, range, constantInt(builder.getI32Type(), dimensions),
                                      ArrayRef<int64_t>{0});
  return define(ins, range);
}

/// Unpacks an ND-range, a struct or a pointer to one: dimensions, then offset, global size and local size.
bool BodyImporter::unpackRange(const Instruction &ins, uint32_t id, Value &dimensions, Values &numbers) {
  Value range = value(id, ins);
  if (!range)
    return false;
  Type word = builder.getI64Type(), three = LLVM::LLVMArrayType::get(word, 3);
  Type wanted = LLVM::LLVMStructType::getLiteral(builder.getContext(), {builder.getI32Type(), three, three, three});
  if (llvm::isa<LLVM::LLVMPointerType>(range.getType())) {
    const TypeInfo *pointee = module.typeInfo(module.pointeeOf(id));
    if (!pointee || pointee->type != wanted)
      return (void)mismatch(ins), false;
    auto part = [&](Type type, ArrayRef<LLVM::GEPArg> path) -> Value {
      Value address = LLVM::GEPOp::create(builder, loc, range.getType(), wanted, range, path);
      return LLVM::LoadOp::create(builder, loc, type, address);
    };
    dimensions = part(builder.getI32Type(), {0, 0});
    for (int32_t member : {1, 2, 3})
      for (int32_t d = 0; d < 3; ++d)
        numbers.push_back(part(word, {0, member, d}));
    return true;
  }
  if (range.getType() != wanted)
    return (void)mismatch(ins), false;
  dimensions = make<LLVM::ExtractValueOp>(range, ArrayRef<int64_t>{0});
  for (int64_t member : {1, 2, 3})
    for (int64_t d = 0; d < 3; ++d)
      numbers.push_back(make<LLVM::ExtractValueOp>(range, ArrayRef<int64_t>{member, d}));
  return true;
}

/// Returns the index of the block at args[at]: its function, captured bytes, their size and alignment.
Value BodyImporter::blockAt(const Instruction &ins, size_t at, uint64_t *bytes) {
  std::optional<uint64_t> size = module.integer(ins.args[at + 2]), align = module.integer(ins.args[at + 3]);
  if (!size || !align)
    return error(ins) << "has a Param Size or Param Align that is not a constant, which is not supported", Value();
  func::FuncOp kernel = module.blockKernel(ins, ins.args[at], *size, std::max<uint64_t>(*align, 1));
  if (!kernel)
    return {};
  if (bytes)
    *bytes = *size;
  return ocl::BlockNumberOp::create(builder, loc, builder.getI32Type(), kernel.getSymName());
}

LogicalResult BodyImporter::enqueueKernel(const Instruction &ins) {
  constexpr size_t Invoke = 6, Captured = 7, FirstLocal = 10;
  Type type = resultType(ins), word = builder.getI64Type(), number = builder.getI32Type();
  Value queue = value(ins.args[0], ins), flags = value(ins.args[1], ins), waits = value(ins.args[3], ins),
        events = value(ins.args[4], ins), event = value(ins.args[5], ins), captured = value(ins.args[Captured], ins);
  if (!type || !queue || !flags || !waits || !events || !event || !captured)
    return failure();
  auto isPointer = [](Value given) { return llvm::isa<LLVM::LLVMPointerType>(given.getType()); };
  if (type != number || queue.getType() != word || flags.getType() != number || waits.getType() != number ||
      !isPointer(events) || !isPointer(event) || !isPointer(captured))
    return mismatch(ins);
  Value dimensions;
  Values range;
  uint64_t bytes;
  if (!unpackRange(ins, ins.args[2], dimensions, range))
    return failure();
  Value block = blockAt(ins, Invoke, &bytes);
  if (!block)
    return failure();

  ArrayRef<uint32_t> sizes = ArrayRef(ins.args).drop_front(FirstLocal);
  if (sizes.size() + 1 != module.function(ins.args[Invoke])->params.size())
    return error(ins) << "has " << sizes.size() << " Local Size operands, its block has "
                      << module.function(ins.args[Invoke])->params.size() - 1 << " local memory parameters";
  // One array for all sizes. They are i32 values, or pointers to i64 values if the translator passes on what its front
  // end wrote.
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type array = LLVM::LLVMArrayType::get(number, std::max<size_t>(sizes.size(), 1));
  Value list;
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *entry = &builder.getBlock()->getParent()->front();
    builder.setInsertionPointToStart(entry);
    Value one = arith::ConstantIntOp::create(builder, loc, 1, 32);
    list = LLVM::AllocaOp::create(builder, loc, pointer, array, one);
  }
  for (auto [index, id] : llvm::enumerate(sizes)) {
    Value size = value(id, ins);
    if (!size)
      return failure();
    if (isPointer(size))
      size = LLVM::LoadOp::create(builder, loc, word, size);
    if (!size.getType().isInteger(32) && !size.getType().isInteger(64))
      return mismatch(ins);
    Value slot = LLVM::GEPOp::create(builder, loc, pointer, array, list, ArrayRef<LLVM::GEPArg>{0, int32_t(index)});
    LLVM::StoreOp::create(builder, loc, resize(size, number), slot);
  }
  return define(ins, ocl::EnqueueKernelOp::create(builder, loc, number, arena(), queue, flags, dimensions, range, waits,
                                                  events, event, block, captured, constantInt(number, bytes),
                                                  constantInt(number, sizes.size()), list));
}

LogicalResult BodyImporter::enqueueMarker(const Instruction &ins) {
  Values in; // queue, number of events, events, event
  Type type = resultType(ins);
  if (!type || !operands(ins, in, 4))
    return failure();
  if (!type.isInteger(32) || !in[0].getType().isInteger(64) || !in[1].getType().isInteger(32) ||
      !llvm::isa<LLVM::LLVMPointerType>(in[2].getType()) || !llvm::isa<LLVM::LLVMPointerType>(in[3].getType()))
    return mismatch(ins);
  return define(ins, ocl::EnqueueMarkerOp::create(builder, loc, type, arena(), in[0], in[1], in[2], in[3]));
}

LogicalResult BodyImporter::deviceEvent(const Instruction &ins) {
  Values in;
  if (!operands(ins, in, ins.args.size()))
    return failure();
  if (ins.op == spv::Op::CreateUserEvent)
    return define(ins, ocl::CreateUserEventOp::create(builder, loc, builder.getI64Type(), arena()));
  if (!in[0].getType().isInteger(64))
    return mismatch(ins);
  switch (ins.op) {
  case spv::Op::RetainEvent:
    ocl::RetainEventOp::create(builder, loc, arena(), in[0]);
    return success();
  case spv::Op::ReleaseEvent:
    ocl::ReleaseEventOp::create(builder, loc, arena(), in[0]);
    return success();
  case spv::Op::IsValidEvent: {
    Value valid = ocl::IsValidEventOp::create(builder, loc, builder.getI32Type(), arena(), in[0]);
    return define(ins, make<arith::CmpIOp>(arith::CmpIPredicate::ne, valid, constantInt(valid.getType(), 0)));
  }
  case spv::Op::SetUserEventStatus:
    if (!in[1].getType().isInteger(32))
      return mismatch(ins);
    ocl::SetUserEventStatusOp::create(builder, loc, arena(), in[0], in[1]);
    return success();
  default: // CaptureEventProfilingInfo
    if (!in[1].getType().isInteger(32) || !llvm::isa<LLVM::LLVMPointerType>(in[2].getType()))
      return mismatch(ins);
    ocl::CaptureEventProfilingOp::create(builder, loc, arena(), in[0], in[1], in[2]);
    return success();
  }
}

LogicalResult BodyImporter::blockQuery(const Instruction &ins) {
  const bool hasRange =
      ins.op == spv::Op::GetKernelNDrangeSubGroupCount || ins.op == spv::Op::GetKernelNDrangeMaxSubGroupSize;
  const bool hasCount = ins.op == spv::Op::GetKernelLocalSizeForSubgroupCount;
  Type type = resultType(ins);
  Value block = blockAt(ins, hasRange || hasCount, nullptr), dimensions;
  Values range;
  if (!type || !block || (hasRange && !unpackRange(ins, ins.args[0], dimensions, range)))
    return failure();
  if (!type.isInteger(32))
    return mismatch(ins);
  switch (ins.op) {
  case spv::Op::GetKernelWorkGroupSize:
    return define(ins, ocl::BlockWorkGroupSizeOp::create(builder, loc, type, arena(), block));
  case spv::Op::GetKernelPreferredWorkGroupSizeMultiple:
    return define(ins, ocl::BlockPreferredMultipleOp::create(builder, loc, type, arena(), block));
  case spv::Op::GetKernelNDrangeSubGroupCount:
    return define(ins,
                  ocl::BlockSubGroupCountOp::create(builder, loc, type, arena(), block, range[6], range[7], range[8]));
  case spv::Op::GetKernelNDrangeMaxSubGroupSize:
    return define(
        ins, ocl::BlockMaxSubGroupSizeOp::create(builder, loc, type, arena(), block, range[6], range[7], range[8]));
  case spv::Op::GetKernelLocalSizeForSubgroupCount: {
    Value count = value(ins.args[0], ins);
    if (!count || !count.getType().isInteger(32))
      return count ? mismatch(ins) : failure();
    return define(ins, ocl::BlockLocalSizeForSubGroupsOp::create(builder, loc, type, arena(), block, count));
  }
  default:
    return define(ins, ocl::BlockMaxSubGroupsOp::create(builder, loc, type, arena(), block));
  }
}

} // namespace kiln::import
