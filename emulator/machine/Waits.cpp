#include "emulator/machine/Waits.h"
#include "emulator/machine/Fault.h"
#include <algorithm>

namespace kiln::emulator {
namespace {

bool writesRegister(const Instruction &instruction) {
  return instruction.memoryResult &&
         (instruction.operands[0].kind == OperandKind::Vector || instruction.operands[0].kind == OperandKind::Scalar);
}

} // namespace

void Waits::addTo(WaitCounter counter, const Instruction &instruction, bool outOfOrder) {
  queues_[size_t(counter)].push_back({&instruction, outOfOrder});
  ++outstanding_;
}

void Waits::add(const Instruction &instruction) {
  // Stores have a counter of their own from gfx10 on, scalar loads from gfx12 on.
  const WaitCounter stores = generation_ >= 10 ? WaitCounter::Store : WaitCounter::Load;
  const WaitCounter scalars = generation_ >= 12 ? WaitCounter::Scalar : WaitCounter::Local;
  switch (instruction.memory) {
  case MemoryKind::None:
    return;
  case MemoryKind::Vector:
    addTo(instruction.memoryResult ? WaitCounter::Load : stores, instruction, false);
    break;
  case MemoryKind::Flat: // either memory, so in no order
    addTo(instruction.memoryResult ? WaitCounter::Load : stores, instruction, true);
    addTo(WaitCounter::Local, instruction, true);
    break;
  case MemoryKind::Local:
    addTo(WaitCounter::Local, instruction, false);
    break;
  case MemoryKind::Scalar:
    addTo(scalars, instruction, true);
    break;
  case MemoryKind::Message: // in order, as LLVM assumes
    addTo(scalars, instruction, false);
    break;
  }
  mark(instruction);
}

void Waits::mark(const Instruction &instruction) {
  if (!writesRegister(instruction))
    return;
  const Operand &target = instruction.operands[0];
  for (unsigned i = 0; i < target.count; ++i)
    if (target.kind == OperandKind::Vector)
      vectors_.set(target.index + i);
    else
      scalars_.set(target.index + i);
}

void Waits::check(const Instruction &instruction) const {
  for (unsigned i = 0; i < instruction.operandCount; ++i) {
    const Operand &operand = instruction.operands[i];
    const bool isVector = operand.kind == OperandKind::Vector;
    if (!isVector && operand.kind != OperandKind::Scalar)
      continue;
    for (unsigned r = 0; r < operand.count; ++r) {
      const unsigned index = operand.index + r;
      if (!(isVector ? vectors_.test(index) : scalars_.test(index)))
        continue;
      const Instruction *by = pendingInstruction(isVector, index);
      // Results of one kind arrive in order, so a second load to a register may follow the first.
      if (i == 0 && by && by->memory == instruction.memory && instruction.memoryResult &&
          instruction.memory != MemoryKind::Scalar && instruction.memory != MemoryKind::Flat)
        continue;
      throw Fault(FaultKind::LaunchFailure, isVector ? "v" : "s", index, " is used without a wait for '",
                  by ? by->text : "?", "'");
    }
  }
  if (instruction.second)
    check(*instruction.second);
}

const Instruction *Waits::pendingInstruction(bool isVector, unsigned index) const {
  const OperandKind kind = isVector ? OperandKind::Vector : OperandKind::Scalar;
  for (const auto &queue : queues_)
    for (const Entry &entry : queue)
      if (const Operand &target = entry.instruction->operands[0]; entry.instruction->memoryResult &&
                                                                  target.kind == kind && index >= target.index &&
                                                                  index < unsigned(target.index) + target.count)
        return entry.instruction;
  return nullptr;
}

void Waits::complete(std::deque<Entry> &entries, size_t left) {
  if (entries.size() <= left)
    return;
  // Operations of different kinds complete in any order. A count above zero does not say which of them are complete.
  const MemoryKind kind = entries.front().instruction->memory;
  if (left && std::ranges::any_of(
                  entries, [&](const Entry &entry) { return entry.outOfOrder || entry.instruction->memory != kind; }))
    return;
  outstanding_ -= entries.size() - left;
  entries.erase(entries.begin(), entries.end() - std::ptrdiff_t(left));
}

void Waits::wait(const Instruction &instruction) {
  for (size_t counter = 0; counter < queues_.size(); ++counter)
    if (instruction.waits[counter] != NoWait)
      complete(queues_[counter], instruction.waits[counter]);
  vectors_.reset();
  scalars_.reset();
  for (const auto &queue : queues_)
    for (const Entry &entry : queue)
      mark(*entry.instruction);
}

} // namespace kiln::emulator
