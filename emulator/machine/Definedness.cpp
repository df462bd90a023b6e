#include "emulator/machine/Definedness.h"
#include "emulator/machine/Fault.h"
#include "emulator/machine/Operands.h"
#include "emulator/machine/Wave.h"
#include <bit>

namespace kiln::emulator {
namespace {

std::string registerName(const Operand &operand, unsigned index) {
  if (operand.kind == OperandKind::Vector)
    return index >= FirstAccumulator ? text("a", index - FirstAccumulator) : text("v", index);
  if (index == Vcc || index == Vcc + 1)
    return "vcc";
  if (index == M0)
    return "m0";
  return index >= Trap && index < Trap + 16 ? text("ttmp", index - Trap) : text("s", index);
}

/// The lanes whose registers an instruction may read or write.
u64 lanesIn(const Wave &wave, const Instruction &instruction) {
  return instruction.crossesLanes ? ~u64(0) : wave.exec();
}

/// Calls `body(operand, index)` for each register that the instruction names, as the registers are now.
template <typename Body> void forEachRegister(const Wave &wave, const Instruction &instruction, Body body) {
  for (unsigned i = 0; i < instruction.operandCount; ++i) {
    const Operand &operand = instruction.operands[i];
    const bool isVector = operand.kind == OperandKind::Vector;
    if (!isVector && operand.kind != OperandKind::Scalar)
      continue;
    for (unsigned r = 0; r < operand.count; ++r)
      body(operand, operand.index + r);
    if (isVector && wave.mode & Wave::IndexingEnabled)
      for (unsigned r = 0; r < operand.count; ++r)
        body(operand, operand.index + r + (wave.scalar(M0) & 0xff));
    if (instruction.relative)
      for (unsigned r = 0; r < operand.count; ++r)
        body(operand, operand.index + r + wave.scalar(M0));
  }
  if (instruction.second)
    forEachRegister(wave, *instruction.second, body);
}

constexpr unsigned Fillings = 5;

/// The other source of a comparison, as a word of lane `lane`.
u32 otherWord(const Wave &wave, const Operand &other, unsigned word, bool isPair, unsigned lane) {
  switch (other.kind) {
  case OperandKind::Vector:
    return wave.vector(other.index + (word < other.count ? word : 0))[lane];
  case OperandKind::Scalar:
    return wave.scalar(other.index + (word < other.count ? word : 0));
  case OperandKind::Integer:
  case OperandKind::Real:
    return isPair ? u32((other.kind == OperandKind::Real ? uniformBits<f64>(wave, other)
                                                         : uniformBits<u64>(wave, other)) >>
                        word * 32)
                  : u32(uniformBits<f32>(wave, other));
  default:
    return 0;
  }
}

/// A value for the undefined bits.
u32 filled(u32 value, u32 undefined, unsigned filling, u32 other) {
  const u32 Pi = 0x40490fdb; // an unremarkable positive number in either format
  const u32 fill[Fillings] = {~value, 0, ~0u, Pi, other};
  return (value & ~undefined) | (fill[filling] & undefined);
}

} // namespace

Definedness::Definedness(unsigned lanes, unsigned scalars, unsigned vectors, unsigned accumulators, size_t scratchBytes)
    : scalarCount_(scalars), vectors_(vectors) {
  bits_.resize(vectors + accumulators);
  for (VectorRegister &bits : bits_)
    bits.fill(~0u);
  lanes_.assign(vectors + accumulators, lanes == 64 ? ~u64(0) : 0xffffffff);
  scalars_.fill(~0u);
  scratch_.assign(scratchBytes, 0xff);
}

u64 *Definedness::lanesOf(unsigned index) {
  if (index < FirstAccumulator ? index >= vectors_ : slot(index) >= lanes_.size())
    return nullptr;
  return &lanes_[slot(index)];
}

void Definedness::setBits(unsigned index, const VectorRegister &bits, u64 lanes) {
  u64 &undefined = *lanesOf(index);
  VectorRegister &to = bits_[slot(index)];
  for (u64 left = lanes; left; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    to[lane] = bits[lane];
    undefined = (undefined & ~(u64(1) << lane)) | u64(bits[lane] != 0) << lane;
  }
}

void Definedness::requireScalar(unsigned index) const {
  if (index >= scalarCount_ && index < FlatScratch)
    throw Fault(FaultKind::IllegalInstruction, "s", index, " is not a register of the kernel, which has ", scalarCount_,
                " scalar registers");
}

bool Definedness::touchesUndefined(const Wave &wave, const Instruction &instruction) {
  if ((scc_ && instruction.unit == Unit::Scalar) ||
      (instruction.readsVcc && (scalars_[Vcc] || (scalars_[Vcc + 1] && wave.lanes == 64))))
    return true;
  const u64 lanes = lanesIn(wave, instruction);
  bool found = false;
  forEachRegister(wave, instruction, [&](const Operand &operand, unsigned index) {
    if (operand.kind == OperandKind::Scalar) {
      requireScalar(index);
      found |= index < scalars_.size() && scalars_[index];
    } else if (const u64 *undefined = lanesOf(index)) {
      found |= (*undefined & lanes) != 0;
    }
  });
  return found;
}

void Definedness::collect(const Wave &wave, const Instruction &instruction) {
  touched_.clear();
  touchedScalars_.clear();
  auto addScalar = [&](unsigned index) {
    if (index < scalars_.size() &&
        std::ranges::find(touchedScalars_, index, &TouchedScalar::index) == touchedScalars_.end())
      touchedScalars_.push_back({u16(index), wave.scalar(index), 0, 0});
  };
  forEachRegister(wave, instruction, [&](const Operand &operand, unsigned index) {
    if (operand.kind == OperandKind::Scalar)
      addScalar(index);
    else if (lanesOf(index) && std::ranges::find(touched_, index, &Touched::index) == touched_.end())
      touched_.push_back({u16(index), wave.vector(index), {}, {}});
  });
  for (unsigned index : {+Exec, Exec + 1, +Vcc, Vcc + 1})
    addScalar(index);
}

void Definedness::compareFillings(Wave &wave, const Instruction &instruction) {
  collect(wave, instruction);
  const bool sccBefore = wave.scc;
  const u64 execBefore = wave.exec();
  const u64 lanes = lanesIn(wave, instruction) & (wave.lanes == 64 ? ~u64(0) : 0xffffffff);
  instruction.run(wave, instruction);
  for (Touched &one : touched_)
    one.after = wave.vector(one.index);
  for (TouchedScalar &one : touchedScalars_)
    one.after = wave.scalar(one.index);
  const bool sccAfter = wave.scc;
  bool sccDiffers = false;

  // For a comparison: which operand is the other source of a register, and the register's place in its operand.
  const unsigned first = instruction.destinations;
  auto otherOf = [&](OperandKind kind, unsigned index, unsigned lane) -> u32 {
    for (unsigned i = first; i < first + 2; ++i)
      if (const Operand &operand = instruction.operands[i];
          operand.kind == kind && index >= operand.index && index < unsigned(operand.index) + operand.count)
        return otherWord(wave, instruction.operands[first + (i == first)], index - operand.index, operand.count == 2,
                         lane);
    return 0;
  };
  const unsigned fillings = instruction.isComparison ? Fillings : Fillings - 1;
  for (unsigned filling = 0; filling < fillings; ++filling) {
    for (Touched &one : touched_)
      wave.vector(one.index) = one.before;
    for (TouchedScalar &one : touchedScalars_)
      wave.setScalar(one.index, one.before);
    const bool needsOther = filling == Fillings - 1;
    for (Touched &one : touched_)
      if (u64 left = *lanesOf(one.index) & lanes) {
        VectorRegister &values = wave.vector(one.index);
        const VectorRegister &undefined = bits_[slot(one.index)];
        for (; left; left &= left - 1) {
          const unsigned lane = unsigned(std::countr_zero(left));
          values[lane] = filled(values[lane], undefined[lane], filling,
                                needsOther ? otherOf(OperandKind::Vector, one.index, lane) : 0);
        }
      }
    for (TouchedScalar &one : touchedScalars_)
      if (const u32 undefined = scalars_[one.index])
        wave.setScalar(one.index, filled(one.before, undefined, filling,
                                         needsOther ? otherOf(OperandKind::Scalar, one.index, 0) : 0));
    wave.scc = scc_ ? bool(filling & 1) : sccBefore;
    if (wave.exec() != execBefore)
      throw Fault(FaultKind::LaunchFailure, "EXEC is not initialised");
    instruction.run(wave, instruction);
    for (Touched &one : touched_) {
      const VectorRegister &values = wave.vector(one.index);
      for (unsigned lane = 0; lane < MaxLanes; ++lane)
        one.differences[lane] |= values[lane] ^ one.after[lane];
    }
    for (TouchedScalar &one : touchedScalars_)
      one.differences |= wave.scalar(one.index) ^ one.after;
    sccDiffers |= wave.scc != sccAfter;
  }
  for (const TouchedScalar &one : touchedScalars_)
    if ((one.index == Exec || (one.index == Exec + 1 && wave.lanes == 64)) && one.differences) {
      wave.setMask(Exec, execBefore); // the sources are those of the lanes that were active
      throw Fault(FaultKind::LaunchFailure, "lane ", std::countr_zero(one.differences) + (one.index == Exec ? 0 : 32),
                  " of EXEC depends on ", nameOfUndefined(wave, instruction), ", which is not initialised");
    }
  for (Touched &one : touched_) {
    wave.vector(one.index) = one.after;
    setBits(one.index, one.differences, lanes);
  }
  for (TouchedScalar &one : touchedScalars_) {
    wave.setScalar(one.index, one.after);
    scalars_[one.index] = one.differences;
  }
  wave.scc = sccAfter;
  scc_ = sccDiffers;
}

std::string Definedness::nameOfUndefined(const Wave &wave, const Instruction &instruction) {
  std::string name;
  const u64 lanes = lanesIn(wave, instruction);
  forEachRegister(wave, instruction, [&](const Operand &operand, unsigned index) {
    const bool isUndefined = operand.kind == OperandKind::Scalar ? index < scalars_.size() && scalars_[index]
                                                                 : lanesOf(index) && *lanesOf(index) & lanes;
    if (isUndefined) // the last one: sources follow the destinations
      name = registerName(operand, index);
  });
  return name.empty() ? scc_ ? "SCC" : "VCC" : name;
}

void Definedness::require(const Wave &wave, const Instruction &instruction, const Operand &operand, const char *role) {
  for (unsigned r = 0; r < operand.count; ++r) {
    const unsigned index = operand.index + r;
    if (operand.kind == OperandKind::Scalar)
      requireScalar(index);
    if (operand.kind == OperandKind::Scalar && index < scalars_.size() && scalars_[index])
      throw Fault(FaultKind::LaunchFailure, registerName(operand, index), ", ", role, ", is not initialised");
    if (operand.kind == OperandKind::Vector && lanesOf(index))
      if (const u64 lanes = *lanesOf(index) & lanesIn(wave, instruction))
        throw Fault(FaultKind::LaunchFailure, "lane ", std::countr_zero(lanes), ": ", registerName(operand, index),
                    ", ", role, ", is not initialised");
  }
}

void Definedness::requireSources(const Wave &wave, const Instruction &instruction, const char *role) {
  for (unsigned i = instruction.destinations; i < instruction.operandCount; ++i)
    require(wave, instruction, instruction.operands[i], role);
}

void Definedness::requireCondition(const Wave &wave, const Instruction &instruction) {
  if (instruction.condition == Condition::Scc && scc_)
    throw Fault(FaultKind::LaunchFailure, "SCC, which decides the branch, is not initialised");
  if (instruction.condition != Condition::Vcc)
    return;
  const u64 undefined = scalars_[Vcc] | (wave.lanes == 64 ? u64(scalars_[Vcc + 1]) << 32 : 0);
  // A defined bit that is set decides the branch alone.
  if (undefined && !(wave.vcc() & ~undefined))
    throw Fault(FaultKind::LaunchFailure, "lane ", std::countr_zero(undefined),
                ": VCC, which decides the branch, is not initialised");
}

void Definedness::defineDestinations(const Wave &wave, const Instruction &instruction) {
  for (unsigned i = 0; i < instruction.destinations; ++i) {
    const Operand &operand = instruction.operands[i];
    for (unsigned r = 0; r < operand.count; ++r) {
      const unsigned index = operand.index + r;
      if (operand.kind == OperandKind::Scalar && index < scalars_.size()) {
        requireScalar(index);
        scalars_[index] = 0;
      } else if (operand.kind == OperandKind::Vector && lanesOf(index)) {
        *lanesOf(index) &= ~wave.exec();
      }
    }
  }
}

void Definedness::load(Wave &wave, const Instruction &instruction) {
  requireSources(wave, instruction, "part of the address");
  const Operand &target = instruction.operands[0];
  std::array<VectorRegister, 4> before, after;
  const unsigned count = std::min<unsigned>(target.count, 4);
  bool partOfUndefined = false;
  for (unsigned r = 0; r < count; ++r) {
    before[r] = wave.vector(target.index + r);
    partOfUndefined |= instruction.keepsPart && (*lanesOf(target.index + r) & wave.exec());
  }
  sawUndefined_ = false;
  instruction.run(wave, instruction);
  if (!sawUndefined_ && !partOfUndefined)
    return defineDestinations(wave, instruction);
  // The same load of the undefined bits. Its address may be in the destination.
  for (unsigned r = 0; r < count; ++r) {
    VectorRegister &value = wave.vector(target.index + r);
    after[r] = value;
    value = before[r];
    if (partOfUndefined)
      for (unsigned lane = 0; lane < wave.lanes; ++lane)
        value[lane] = bitsOf(target.index + r, lane);
  }
  shadowing_ = true;
  instruction.run(wave, instruction);
  shadowing_ = false;
  for (unsigned r = 0; r < count; ++r) {
    setBits(target.index + r, wave.vector(target.index + r), wave.exec());
    wave.vector(target.index + r) = after[r];
  }
}

void Definedness::store(Wave &wave, const Instruction &instruction) {
  std::vector<unsigned> data;
  bool undefinedData = false, isAddress = false;
  // Local memory has one data operand or two, after the address; others have one.
  const unsigned last =
      instruction.memory == MemoryKind::Local ? instruction.operandCount : std::min<unsigned>(instruction.data + 1u, 8);
  for (unsigned i = 0; i < instruction.operandCount; ++i) {
    const Operand &operand = instruction.operands[i];
    if (i < instruction.data || i >= last) {
      require(wave, instruction, operand, "part of the address");
      continue;
    }
    for (unsigned r = 0; r < operand.count; ++r)
      if (const u64 *lanes = lanesOf(operand.index + r)) {
        data.push_back(operand.index + r);
        undefinedData |= (*lanes & wave.exec()) != 0;
      }
  }
  instruction.run(wave, instruction);
  if (!undefinedData)
    return;
  for (unsigned i = 0; i < instruction.operandCount; ++i)
    if (const Operand &operand = instruction.operands[i];
        (i < instruction.data || i >= last) && operand.kind == OperandKind::Vector)
      isAddress |= std::ranges::any_of(data, [&](unsigned index) {
        return index >= operand.index && index < unsigned(operand.index) + operand.count;
      });
  if (isAddress) // the registers are needed for the address: what is stored counts as defined
    return;
  // The same store of the undefined bits.
  std::vector<VectorRegister> values;
  for (unsigned index : data) {
    VectorRegister &value = wave.vector(index);
    values.push_back(value);
    for (unsigned lane = 0; lane < wave.lanes; ++lane)
      value[lane] = bitsOf(index, lane);
  }
  globalStores_.clear();
  shadowing_ = true;
  instruction.run(wave, instruction);
  shadowing_ = false;
  for (size_t i = 0; i < data.size(); ++i)
    wave.vector(data[i]) = values[i];
  for (const GlobalStore &store : globalStores_)
    if (std::ranges::all_of(std::span(store.bits).first(store.bytes), [](u8 bits) { return bits == 0xff; }))
      throw Fault(FaultKind::LaunchFailure, "lane ", store.lane, ": all ", store.bytes,
                  " bytes that are stored are not initialised");
}

u8 *Definedness::globalBits(int lane, unsigned bytes) {
  if (globalStores_.size() == globalStores_.capacity())
    globalStores_.reserve(MaxLanes); // pointers into it stay valid during an instruction
  if (globalStores_.size() == MaxLanes)
    globalStores_.clear(); // loads
  globalStores_.push_back({lane, std::min(bytes, 16u), {}});
  return globalStores_.back().bits.data();
}

void Definedness::access(u8 *bits, unsigned bytes, bool write, int lane) {
  const bool isDefined = std::all_of(bits, bits + bytes, [](u8 one) { return !one; });
  if (isDefined)
    return;
  sawUndefined_ = true;
  if (current_ && current_->effect == Effect::Atomic && !current_->replacesMemory)
    throw Fault(FaultKind::LaunchFailure, "lane ", lane, ": an atomic operation on memory that is not initialised");
  if (write)
    std::fill_n(bits, bytes, 0);
}

void Definedness::execute(Wave &wave, const Instruction &instruction) {
  current_ = &instruction;
  switch (instruction.effect) {
  case Effect::Registers:
    if (touchesUndefined(wave, instruction))
      compareFillings(wave, instruction);
    else
      instruction.run(wave, instruction);
    return;
  case Effect::Control:
    requireCondition(wave, instruction);
    requireSources(wave, instruction, "the operand");
    instruction.run(wave, instruction);
    if (wave.mode & Wave::IndexingEnabled)
      scalars_[M0] = 0; // s_set_gpr_idx_on
    return defineDestinations(wave, instruction);
  case Effect::ScalarLoad:
    requireSources(wave, instruction, "part of the address");
    instruction.run(wave, instruction);
    return defineDestinations(wave, instruction);
  case Effect::Load:
    return load(wave, instruction);
  case Effect::Store:
    return store(wave, instruction);
  case Effect::Atomic:
    requireSources(wave, instruction, "a source of the atomic operation");
    instruction.run(wave, instruction);
    return defineDestinations(wave, instruction);
  }
}

} // namespace kiln::emulator
