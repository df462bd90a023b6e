// What a kernel did: instructions by the unit that executes them, transactions with memory, conflicts in local memory.
#pragma once
#include "emulator/decode/Instruction.h"
#include <vector>

namespace kiln::emulator {

inline constexpr size_t Units = size_t(Unit::Wait) + 1;

struct Counts {
  std::array<u64, Units> instructions{}; // executed by a wave; a dual instruction is one
  u64 lines = 0, storedLines = 0;        // cache lines that the lanes of a vector memory instruction read, and write
  u64 scalarLines = 0;                   // that scalar loads read
  u64 bankConflicts = 0;                 // cycles of local memory beyond those without conflicts

  u64 total() const;
  void add(const Counts &other);
};

/// Counts for the waves of one group.
class Counter {
public:
  explicit Counter(u64 lineBytes) : lineBytes_(lineBytes) {}
  /// Called before and after each instruction, and for each access of a lane in between.
  void begin() {
    lines_.clear();
    banks_.clear();
  }
  void access(u64 address, unsigned bytes);
  void accessLocal(u32 offset, unsigned bytes, int lane);
  void finish(const Instruction &instruction);
  const Counts &counts() const { return counts_; }

private:
  struct Word {
    unsigned part; // lanes that local memory serves in one cycle if there is no conflict
    u32 index;
    auto operator<=>(const Word &) const = default;
  };
  const u64 lineBytes_;
  Counts counts_;
  std::vector<u64> lines_;
  std::vector<Word> banks_;
};

} // namespace kiln::emulator
