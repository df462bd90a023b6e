// Checks that a wave waits for memory operations before it uses their registers.
//
// Hardware completes memory operations later and counts those that are outstanding; s_waitcnt stops the wave until a
// counter is low enough. The emulator completes them at once, so a missing wait would not show. This class keeps the
// counters, and an instruction that reads or writes the destination of an outstanding operation is a fault.
#pragma once
#include "emulator/decode/Instruction.h"
#include <bitset>
#include <deque>

namespace kiln::emulator {

class Waits {
public:
  explicit Waits(unsigned generation) : generation_(generation) {}
  /// Called before each instruction. Throws a Fault if it uses the destination of an outstanding operation.
  void before(const Instruction &instruction) {
    if (outstanding_ && instruction.waits.areNone())
      check(instruction);
    if (instruction.memory != MemoryKind::None)
      add(instruction);
    if (outstanding_ && !instruction.waits.areNone())
      wait(instruction);
  }

  /// Returns true if stores to local memory are outstanding.
  bool hasLocalStores() const {
    return std::ranges::any_of(queues_[size_t(WaitCounter::Local)],
                               [](const Entry &entry) { return entry.instruction->effect == Effect::Store; });
  }

private:
  struct Entry {
    const Instruction *instruction;
    bool outOfOrder; // completes in any order with the others of its counter
  };
  void add(const Instruction &instruction);
  void check(const Instruction &instruction) const;
  void wait(const Instruction &instruction);
  void addTo(WaitCounter counter, const Instruction &instruction, bool outOfOrder);
  void complete(std::deque<Entry> &entries, size_t left);
  void mark(const Instruction &instruction);
  const Instruction *pendingInstruction(bool isVector, unsigned index) const;

  const unsigned generation_;
  size_t outstanding_ = 0; // entries in all queues
  std::array<std::deque<Entry>, size_t(WaitCounter::Count)> queues_;
  std::bitset<512> vectors_; // registers that an outstanding operation writes
  std::bitset<128> scalars_;
};

} // namespace kiln::emulator
