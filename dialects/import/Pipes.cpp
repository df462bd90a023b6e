// Pipes, reservations, and program-scope pipes. A program-scope pipe is a variable that is initialised as an empty pipe
// (base/abi/PipeAbi.h); the pipe object is its address.
#include "base/abi/PipeAbi.h"
#include "dialects/import/Instructions.h"

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

namespace {
LogicalResult isValidReserveId(Body &body, const Instruction &ins) {
  Values in;
  if (!body.operands(ins, in, 1))
    return failure();
  if (!in[0].getType().isInteger(64))
    return body.mismatch(ins);
  Value valid = ocl::IsValidReserveIdOp::create(body.builder, body.loc, body.builder.getI32Type(), in[0]);
  return body.define(ins,
                     body.make<arith::CmpIOp>(arith::CmpIPredicate::ne, valid, body.constantInt(valid.getType(), 0)));
}

/// Reads a pipe at args[first] and the integers of the given widths after it. Returns false, with a diagnostic, if an
/// operand has another type.
bool pipeOperands(Body &body, const Instruction &ins, ArrayRef<unsigned> bits, size_t first, Values &values) {
  if (!body.operands(ins, values, 1 + bits.size(), first))
    return false;
  bool fits = values[0].getType() == LLVM::LLVMPointerType::get(body.builder.getContext(), ocl::Global);
  for (auto [value, width] : llvm::zip(ArrayRef(values).drop_front(), bits))
    fits &= value.getType().isInteger(width);
  if (!fits)
    (void)body.mismatch(ins);
  return fits;
}

LogicalResult numPackets(Body &body, const Instruction &ins) {
  Values in;
  if (!pipeOperands(body, ins, {}, 0, in))
    return failure();
  return body.define(ins, ocl::PipeNumPacketsOp::create(body.builder, body.loc, body.builder.getI32Type(), in[0]));
}

LogicalResult maxPackets(Body &body, const Instruction &ins) {
  Values in;
  if (!pipeOperands(body, ins, {}, 0, in))
    return failure();
  return body.define(ins, ocl::PipeMaxPacketsOp::create(body.builder, body.loc, body.builder.getI32Type(), in[0]));
}

LogicalResult pipeOfStorage(Body &body, const Instruction &ins) {
  Values in;
  if (!pipeOperands(body, ins, {}, 0, in))
    return failure();
  return body.define(ins, in[0]);
}

LogicalResult copyPacket(Body &body, const Instruction &ins) {
  const bool reads = ins.op == spv::Op::ReadPipe || ins.op == spv::Op::ReservedReadPipe;
  const bool isReserved = ins.op == spv::Op::ReservedReadPipe || ins.op == spv::Op::ReservedWritePipe;
  Values in, packet; // pipe, id, index; the packet's address and size
  if (!(isReserved ? pipeOperands(body, ins, {64, 32}, 0, in) : pipeOperands(body, ins, {}, 0, in)) ||
      !body.operands(ins, packet, 2, in.size()))
    return failure();
  auto pointer = llvm::dyn_cast<LLVM::LLVMPointerType>(packet[0].getType());
  Type type = body.builder.getI32Type();
  if (!pointer || pointer.getAddressSpace() == ocl::Constant || packet[1].getType() != type)
    return body.mismatch(ins);
  Value result;
  if (isReserved && reads)
    result = ocl::ReadReservedOp::create(body.builder, body.loc, type, in[0], in[1], in[2], packet[0], packet[1]);
  else if (isReserved)
    result = ocl::WriteReservedOp::create(body.builder, body.loc, type, in[0], in[1], in[2], packet[0], packet[1]);
  else if (reads)
    result = ocl::ReadPipeOp::create(body.builder, body.loc, type, in[0], packet[0], packet[1]);
  else
    result = ocl::WritePipeOp::create(body.builder, body.loc, type, in[0], packet[0], packet[1]);
  return body.define(ins, result);
}

/// Returns true for scope Workgroup, false for Subgroup; fails, with a diagnostic, for others.
FailureOr<bool> isWorkGroup(Body &body, const Instruction &ins) {
  std::optional<uint64_t> scope = body.module.integer(ins.args[0]);
  if (scope == uint64_t(spv::Scope::Workgroup))
    return true;
  if (scope == uint64_t(spv::Scope::Subgroup))
    return false;
  return body.module.error(ins) << "has an unsupported Execution scope, must be Workgroup or Subgroup", failure();
}

LogicalResult reservePackets(Body &body, const Instruction &ins, abi::PipeSide side, bool ofGroup) {
  Values in; // pipe, count
  FailureOr<bool> workGroup = ofGroup ? isWorkGroup(body, ins) : FailureOr<bool>(false);
  if (failed(workGroup) || !pipeOperands(body, ins, {32}, ofGroup, in))
    return failure();
  Type type = body.builder.getI64Type();
  Value sideValue = body.constantInt(body.builder.getI32Type(), side);
  if (!ofGroup)
    return body.define(ins, ocl::ReservePacketsOp::create(body.builder, body.loc, type, in[0], sideValue, in[1]));
  if (*workGroup)
    return body.define(ins,
                       ocl::WorkGroupReservePacketsOp::create(body.builder, body.loc, type, in[0], sideValue, in[1]));
  return body.define(ins, ocl::SubGroupReservePacketsOp::create(body.builder, body.loc, type, in[0], sideValue, in[1]));
}

LogicalResult commitPackets(Body &body, const Instruction &ins, abi::PipeSide side, bool ofGroup) {
  Values in; // pipe, id
  FailureOr<bool> workGroup = ofGroup ? isWorkGroup(body, ins) : FailureOr<bool>(false);
  if (failed(workGroup) || !pipeOperands(body, ins, {64}, ofGroup, in))
    return failure();
  Value sideValue = body.constantInt(body.builder.getI32Type(), side);
  if (!ofGroup)
    ocl::CommitPacketsOp::create(body.builder, body.loc, in[0], sideValue, in[1]);
  else if (*workGroup)
    ocl::WorkGroupCommitPacketsOp::create(body.builder, body.loc, in[0], sideValue, in[1]);
  else
    ocl::SubGroupCommitPacketsOp::create(body.builder, body.loc, in[0], sideValue, in[1]);
  return success();
}
} // namespace

void addPipes(InstructionTable &table) {
  using abi::PipeReaders, abi::PipeWriters;
  table.add({spv::Op::ReadPipe, spv::Op::WritePipe, spv::Op::ReservedReadPipe, spv::Op::ReservedWritePipe}, copyPacket);
  table.add(spv::Op::ReserveReadPipePackets,
            [](Body &body, const Instruction &ins) { return reservePackets(body, ins, PipeReaders, false); });
  table.add(spv::Op::ReserveWritePipePackets,
            [](Body &body, const Instruction &ins) { return reservePackets(body, ins, PipeWriters, false); });
  table.add(spv::Op::GroupReserveReadPipePackets,
            [](Body &body, const Instruction &ins) { return reservePackets(body, ins, PipeReaders, true); });
  table.add(spv::Op::GroupReserveWritePipePackets,
            [](Body &body, const Instruction &ins) { return reservePackets(body, ins, PipeWriters, true); });
  table.add(spv::Op::CommitReadPipe,
            [](Body &body, const Instruction &ins) { return commitPackets(body, ins, PipeReaders, false); });
  table.add(spv::Op::CommitWritePipe,
            [](Body &body, const Instruction &ins) { return commitPackets(body, ins, PipeWriters, false); });
  table.add(spv::Op::GroupCommitReadPipe,
            [](Body &body, const Instruction &ins) { return commitPackets(body, ins, PipeReaders, true); });
  table.add(spv::Op::GroupCommitWritePipe,
            [](Body &body, const Instruction &ins) { return commitPackets(body, ins, PipeWriters, true); });
  table.add(spv::Op::IsValidReserveId, isValidReserveId);
  table.add(spv::Op::GetNumPipePackets, numPackets);
  table.add(spv::Op::GetMaxPipePackets, maxPackets);
  table.add(spv::Op::CreatePipeFromPipeStorage, pipeOfStorage);
}

} // namespace kiln::import
