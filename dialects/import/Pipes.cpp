// Pipes, reservations, and program-scope pipes. A program-scope pipe is a variable that is initialised as an empty pipe
// (base/abi/PipeAbi.h); the pipe object is its address.
#include "dialects/import/BodyImporter.h"

using namespace mlir;

namespace kiln::import {
namespace {
constexpr uint64_t MaxStorageBytes = uint64_t(1) << 28; // as MaxConstantBytes: it has an initial image
}

LogicalResult ModuleImporter::declarePipeStorage(const Instruction &ins) {
  const Instruction *type = definition(ins.type);
  if (!type || type->op != spv::Op::TypePipeStorage)
    return error(ins) << "has a Result Type that is not OpTypePipeStorage";
  uint32_t packetSize = ins.args[0], align = ins.args[1], capacity = ins.args[2];
  if (!packetSize || !capacity || packetSize > MaxStorageBytes ||
      abi::pipeBytes(packetSize, capacity) > MaxStorageBytes)
    return error(ins) << "has Capacity " << capacity << " and Packet Size " << packetSize
                      << ", must be positive and need at most " << MaxStorageBytes << " bytes";
  if (!llvm::isPowerOf2_32(align) || align > 128)
    return error(ins) << "has Packet Alignment " << align << ", must be a power of two up to 128";
  OpBuilder b = OpBuilder::atBlockEnd(module_->getBody());
  const abi::PipeHead head = abi::emptyPipe(packetSize, capacity, ins.result);
  int64_t words[sizeof head / sizeof(int64_t)];
  std::memcpy(words, &head, sizeof head);
  Type word = b.getI64Type();
  Type headType = LLVM::LLVMArrayType::get(word, std::size(words));
  Type rest = LLVM::LLVMArrayType::get(b.getI8Type(), abi::pipeBytes(packetSize, capacity) - sizeof head);
  auto initial = b.getArrayAttr({DenseElementsAttr::get(RankedTensorType::get(std::size(words), word), ArrayRef(words)),
                                 LLVM::ZeroAttr::get(&context_)});
  globals_[ins.result] = LLVM::GlobalOp::create(
      b, b.getUnknownLoc(), LLVM::LLVMStructType::getLiteral(&context_, {headType, rest}), /*isConstant=*/false,
      LLVM::Linkage::Internal, uniqueSymbol(name(ins.result).empty() ? "pipe_storage" : name(ins.result)), initial,
      /*alignment=*/abi::PipeAlignment, /*addrSpace=*/unsigned(ocl::Global));
  return success();
}

ImportResult BodyImporter::importPipe(const Instruction &ins) {
  using abi::PipeReaders, abi::PipeWriters;
  Values in;
  switch (ins.op) {
  case spv::Op::ReadPipe:
  case spv::Op::WritePipe:
  case spv::Op::ReservedReadPipe:
  case spv::Op::ReservedWritePipe:
    return importResult(copyPacket(ins));
  case spv::Op::ReserveReadPipePackets:
    return importResult(reservePackets(ins, PipeReaders, false));
  case spv::Op::ReserveWritePipePackets:
    return importResult(reservePackets(ins, PipeWriters, false));
  case spv::Op::GroupReserveReadPipePackets:
    return importResult(reservePackets(ins, PipeReaders, true));
  case spv::Op::GroupReserveWritePipePackets:
    return importResult(reservePackets(ins, PipeWriters, true));
  case spv::Op::CommitReadPipe:
    return importResult(commitPackets(ins, PipeReaders, false));
  case spv::Op::CommitWritePipe:
    return importResult(commitPackets(ins, PipeWriters, false));
  case spv::Op::GroupCommitReadPipe:
    return importResult(commitPackets(ins, PipeReaders, true));
  case spv::Op::GroupCommitWritePipe:
    return importResult(commitPackets(ins, PipeWriters, true));
  case spv::Op::IsValidReserveId: {
    if (!operands(ins, in, 1))
      return ImportResult::Failure;
    if (!in[0].getType().isInteger(64))
      return importResult(mismatch(ins));
    Value valid = ocl::IsValidReserveIdOp::create(builder, loc, builder.getI32Type(), in[0]);
    return importResult(
        define(ins, make<arith::CmpIOp>(arith::CmpIPredicate::ne, valid, constantInt(valid.getType(), 0))));
  }
  case spv::Op::GetNumPipePackets:
    if (!pipeOperands(ins, {}, 0, in))
      return ImportResult::Failure;
    return importResult(define(ins, ocl::PipeNumPacketsOp::create(builder, loc, builder.getI32Type(), in[0])));
  case spv::Op::GetMaxPipePackets:
    if (!pipeOperands(ins, {}, 0, in))
      return ImportResult::Failure;
    return importResult(define(ins, ocl::PipeMaxPacketsOp::create(builder, loc, builder.getI32Type(), in[0])));
  case spv::Op::CreatePipeFromPipeStorage:
    if (!pipeOperands(ins, {}, 0, in))
      return ImportResult::Failure;
    return importResult(define(ins, in[0]));
  default:
    return ImportResult::NotHandled;
  }
}

/// Reads a pipe at args[first] and the integers of the given widths after it. Returns false, with a diagnostic, if an
/// operand has another type.
bool BodyImporter::pipeOperands(const Instruction &ins, ArrayRef<unsigned> bits, size_t first, Values &values) {
  if (!operands(ins, values, 1 + bits.size(), first))
    return false;
  bool fits = values[0].getType() == LLVM::LLVMPointerType::get(builder.getContext(), ocl::Global);
  for (auto [value, width] : llvm::zip(ArrayRef(values).drop_front(), bits))
    fits &= value.getType().isInteger(width);
  if (!fits)
    (void)mismatch(ins);
  return fits;
}

LogicalResult BodyImporter::copyPacket(const Instruction &ins) {
  const bool reads = ins.op == spv::Op::ReadPipe || ins.op == spv::Op::ReservedReadPipe;
  const bool isReserved = ins.op == spv::Op::ReservedReadPipe || ins.op == spv::Op::ReservedWritePipe;
  Values in, packet; // pipe, id, index; the packet's address and size
  if (!(isReserved ? pipeOperands(ins, {64, 32}, 0, in) : pipeOperands(ins, {}, 0, in)) ||
      !operands(ins, packet, 2, in.size()))
    return failure();
  auto pointer = llvm::dyn_cast<LLVM::LLVMPointerType>(packet[0].getType());
  Type type = builder.getI32Type();
  if (!pointer || pointer.getAddressSpace() == ocl::Constant || packet[1].getType() != type)
    return mismatch(ins);
  Value result;
  if (isReserved && reads)
    result = ocl::ReadReservedOp::create(builder, loc, type, in[0], in[1], in[2], packet[0], packet[1]);
  else if (isReserved)
    result = ocl::WriteReservedOp::create(builder, loc, type, in[0], in[1], in[2], packet[0], packet[1]);
  else if (reads)
    result = ocl::ReadPipeOp::create(builder, loc, type, in[0], packet[0], packet[1]);
  else
    result = ocl::WritePipeOp::create(builder, loc, type, in[0], packet[0], packet[1]);
  return define(ins, result);
}

/// Returns true for scope Workgroup, false for Subgroup; fails, with a diagnostic, for others.
static FailureOr<bool> isWorkGroup(BodyImporter &body, const Instruction &ins) {
  std::optional<uint64_t> scope = body.module.integer(ins.args[0]);
  if (scope == uint64_t(spv::Scope::Workgroup))
    return true;
  if (scope == uint64_t(spv::Scope::Subgroup))
    return false;
  return body.module.error(ins) << "has an unsupported Execution scope, must be Workgroup or Subgroup", failure();
}

LogicalResult BodyImporter::reservePackets(const Instruction &ins, abi::PipeSide side, bool ofGroup) {
  Values in; // pipe, count
  FailureOr<bool> workGroup = ofGroup ? isWorkGroup(*this, ins) : FailureOr<bool>(false);
  if (failed(workGroup) || !pipeOperands(ins, {32}, ofGroup, in))
    return failure();
  Type type = builder.getI64Type();
  Value sideValue = constantInt(builder.getI32Type(), side);
  if (!ofGroup)
    return define(ins, ocl::ReservePacketsOp::create(builder, loc, type, in[0], sideValue, in[1]));
  if (*workGroup)
    return define(ins, ocl::WorkGroupReservePacketsOp::create(builder, loc, type, in[0], sideValue, in[1]));
  return define(ins, ocl::SubGroupReservePacketsOp::create(builder, loc, type, in[0], sideValue, in[1]));
}

LogicalResult BodyImporter::commitPackets(const Instruction &ins, abi::PipeSide side, bool ofGroup) {
  Values in; // pipe, id
  FailureOr<bool> workGroup = ofGroup ? isWorkGroup(*this, ins) : FailureOr<bool>(false);
  if (failed(workGroup) || !pipeOperands(ins, {64}, ofGroup, in))
    return failure();
  Value sideValue = constantInt(builder.getI32Type(), side);
  if (!ofGroup)
    ocl::CommitPacketsOp::create(builder, loc, in[0], sideValue, in[1]);
  else if (*workGroup)
    ocl::WorkGroupCommitPacketsOp::create(builder, loc, in[0], sideValue, in[1]);
  else
    ocl::SubGroupCommitPacketsOp::create(builder, loc, in[0], sideValue, in[1]);
  return success();
}

} // namespace kiln::import
