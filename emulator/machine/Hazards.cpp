#include "emulator/machine/Hazards.h"
#include "emulator/machine/Fault.h"

namespace kiln::emulator {
namespace {

bool isVector(const Instruction &instruction) {
  return instruction.unit == Unit::Vector || instruction.unit == Unit::Transcendental;
}
bool isVectorMemory(const Instruction &instruction) {
  return instruction.memory == MemoryKind::Vector || instruction.memory == MemoryKind::Flat;
}

std::string nameOf(const Operand &operand, unsigned index) {
  if (operand.kind == OperandKind::Vector)
    return index >= FirstAccumulator ? text("a", index - FirstAccumulator) : text("v", index);
  return index == Vcc || index == Vcc + 1     ? "vcc"
         : index == Exec || index == Exec + 1 ? "exec"
         : index == M0                        ? "m0"
                                              : text("s", index);
}

constexpr Operand scalarOperand(u16 index) {
  Operand operand;
  operand.kind = OperandKind::Scalar;
  operand.index = index;
  operand.count = 1;
  return operand;
}

} // namespace

void Hazards::require(Time written, unsigned needed, const Operand &operand, unsigned index, const char *rule) const {
  if (written && now_ - written < needed)
    throw Fault(FaultKind::LaunchFailure, nameOf(operand, index), " is used ", now_ - written,
                " wait states after its write; there must be ", needed, " (", rule, ")");
}

void Hazards::requireVectors(const std::array<Time, Vectors> &written, const Operand &operand, unsigned needed,
                             const char *rule) const {
  if (operand.kind == OperandKind::Vector)
    for (unsigned r = 0; r < operand.count && operand.index + r < Vectors; ++r)
      require(written[operand.index + r], needed, operand, operand.index + r, rule);
}

void Hazards::requireScalars(const Instruction &instruction, unsigned needed, const char *rule) const {
  for (unsigned i = instruction.destinations; i < instruction.operandCount; ++i)
    if (const Operand &operand = instruction.operands[i]; operand.kind == OperandKind::Scalar)
      for (unsigned r = 0; r < operand.count && operand.index + r < Scalars; ++r)
        require(scalarsByVector_[operand.index + r], needed, operand, operand.index + r, rule);
}

void Hazards::checkWideStore(const Instruction &instruction) const {
  const unsigned needed = gpu_.hasGfx940Hazards ? 2 : 1;
  if (!wideStoreAt_ || now_ - wideStoreAt_ >= needed)
    return;
  for (unsigned i = 0; i < instruction.destinations; ++i)
    if (const Operand &operand = instruction.operands[i]; operand.kind == OperandKind::Vector)
      for (unsigned r = 0; r < operand.count; ++r)
        if (const unsigned index = operand.index + r;
            index >= wideStoreFirst_ && index < unsigned(wideStoreFirst_) + wideStoreCount_)
          require(wideStoreAt_, needed, operand, index, "a store of more than 8 bytes, then a write to its data");
}

void Hazards::checkVector(const Instruction &instruction) {
  const Operand vcc = scalarOperand(Vcc), exec = scalarOperand(Exec);
  const unsigned source = instruction.destinations;
  if (instruction.dpp != DppKind::None) {
    if (source < instruction.operandCount)
      requireVectors(vectorsByVector_, instruction.operands[source], 2, "a write, then DPP");
    require(execByVector_, 5, exec, Exec, "a vector instruction writes EXEC, then DPP");
  }
  if (instruction.readsVcc)
    require(scalarsByVector_[Vcc], 4, vcc, Vcc, "a vector instruction writes VCC, then v_div_fmas");
  const bool readsLane = instruction.text.starts_with("v_readlane");
  const bool readsFirst = instruction.text.starts_with("v_readfirstlane");
  const bool writesLane = instruction.text.starts_with("v_writelane");
  if ((readsLane || writesLane) && instruction.operands[2].kind == OperandKind::Scalar)
    require(scalarsByVector_[instruction.operands[2].index], 4, instruction.operands[2], instruction.operands[2].index,
            "a vector instruction writes the number of the lane");
  checkWideStore(instruction);
  if (!gpu_.hasGfx940Hazards)
    return;
  requireScalars(instruction, 2, "a vector instruction writes a scalar register, then a vector instruction reads it");
  if (readsLane || readsFirst)
    requireVectors(vectorsByVector_, instruction.operands[1], 1, "a vector instruction writes, then v_readlane");
  if (readsLane || readsFirst || writesLane)
    require(execByVector_, 4, exec, Exec, "a vector instruction writes EXEC, then an access to a lane");
  for (unsigned i = source; i < instruction.operandCount; ++i) {
    if (instruction.unit != Unit::Transcendental)
      requireVectors(transcendental_, instruction.operands[i], 1, "the result of a transcendental instruction");
    requireVectors(moved_, instruction.operands[i], 1, "the result of op_sel or dst_sel");
  }
}

void Hazards::note(const Instruction &instruction) {
  const bool byVector = isVector(instruction);
  const bool moves =
      byVector && ((instruction.sdwa && instruction.destinationSelect != Select::Dword) || instruction.opSel & 8);
  for (unsigned i = 0; i < instruction.destinations; ++i) {
    const Operand &operand = instruction.operands[i];
    for (unsigned r = 0; r < operand.count; ++r) {
      const unsigned index = operand.index + r;
      if (operand.kind == OperandKind::Vector && index < Vectors) {
        vectorsByVector_[index] = byVector ? now_ : 0;
        transcendental_[index] = instruction.unit == Unit::Transcendental ? now_ : 0;
        moved_[index] = moves ? now_ : 0;
      } else if (operand.kind == OperandKind::Scalar && index < Scalars) {
        scalarsByVector_[index] = byVector ? now_ : 0;
        if (index == M0)
          m0ByScalar_ = byVector ? 0 : now_;
      }
    }
  }
  if (byVector && instruction.text.starts_with("v_cmpx"))
    execByVector_ = now_;
  const bool stores = instruction.effect == Effect::Store || instruction.effect == Effect::Atomic;
  if (!isVectorMemory(instruction) || !stores)
    return;
  const unsigned data = instruction.effect == Effect::Store ? instruction.data : instruction.destinations + 1u;
  // A buffer store is one only without a scalar offset.
  const bool isBuffer = instruction.text.starts_with("buffer_");
  if (isBuffer && instruction.operands[3].kind == OperandKind::Scalar)
    return;
  if (const Operand &operand = instruction.operands[data]; operand.kind == OperandKind::Vector && operand.count > 2) {
    wideStoreAt_ = now_;
    wideStoreFirst_ = operand.index;
    wideStoreCount_ = operand.count;
  }
}

void Hazards::checkStates(const Instruction &instruction) {
  const Operand m0 = scalarOperand(M0);
  if (isVectorMemory(instruction))
    requireScalars(instruction, 5, "a vector instruction writes a scalar register, then vector memory reads it");
  if (isVector(instruction))
    checkVector(instruction);
  if (instruction.relative || instruction.text.starts_with("s_sendmsg"))
    require(m0ByScalar_, 1, m0, M0, "a scalar instruction writes M0");
  const bool sets = instruction.text.starts_with("s_setreg"), gets = instruction.text.starts_with("s_getreg");
  const Operand &hardware = instruction.operands[gets];
  if (sets || gets)
    if (hardware.kind == OperandKind::HardwareRegister && hardware.index < HardwareRegisters &&
        hardware_[hardware.index] && now_ - hardware_[hardware.index] < 2)
      throw Fault(FaultKind::LaunchFailure, "the hardware register is used ", now_ - hardware_[hardware.index],
                  " wait states after s_setreg; there must be 2");
  now_ += instruction.waitStates;
  note(instruction);
  if (sets && hardware.index < HardwareRegisters)
    hardware_[hardware.index] = now_;
}

void Hazards::checkTranscendentals(const Instruction &instruction) {
  if (!isVector(instruction)) {
    if (instruction.drainsVectors ||
        (instruction.memory != MemoryKind::None && instruction.memory != MemoryKind::Scalar &&
         instruction.memory != MemoryKind::Message))
      drained_ = vectorCount_;
    return;
  }
  constexpr u32 MostVectors = 5, MostTranscendentals = 1;
  auto check = [&](const Instruction &half) {
    for (unsigned i = half.destinations; i < half.operandCount; ++i) {
      const Operand &operand = half.operands[i];
      for (unsigned r = 0; operand.kind == OperandKind::Vector && r < operand.count; ++r) {
        const Pending &writer = pending_[operand.index + r];
        if (writer.set && writer.vectors > drained_ && vectorCount_ - writer.vectors <= MostVectors &&
            transcendentalCount_ - writer.transcendentals <= MostTranscendentals)
          throw Fault(FaultKind::LaunchFailure, nameOf(operand, operand.index + r),
                      " is the result of a transcendental instruction, and used without s_waitcnt_depctr va_vdst(0)");
      }
    }
  };
  auto write = [&](const Instruction &half) {
    for (unsigned i = 0; i < half.destinations; ++i)
      for (unsigned r = 0; half.operands[i].kind == OperandKind::Vector && r < half.operands[i].count; ++r)
        pending_[half.operands[i].index + r] = {vectorCount_, transcendentalCount_, half.unit == Unit::Transcendental};
  };
  check(instruction);
  if (instruction.second)
    check(*instruction.second);
  ++vectorCount_;
  transcendentalCount_ += instruction.unit == Unit::Transcendental;
  write(instruction);
  if (instruction.second)
    write(*instruction.second);
}

} // namespace kiln::emulator
