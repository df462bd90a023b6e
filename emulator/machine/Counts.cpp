#include "emulator/machine/Counts.h"
#include <numeric>

namespace kiln::emulator {
namespace {

constexpr unsigned Banks = 32; // of 4 bytes; local memory serves 32 lanes in a cycle

template <typename T> void sortUnique(std::vector<T> &values) {
  if (!std::ranges::is_sorted(values))
    std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

} // namespace

u64 Counts::total() const { return std::accumulate(instructions.begin(), instructions.end(), u64(0)); }

void Counts::add(const Counts &other) {
  for (size_t i = 0; i < Units; ++i)
    instructions[i] += other.instructions[i];
  lines += other.lines;
  storedLines += other.storedLines;
  scalarLines += other.scalarLines;
  bankConflicts += other.bankConflicts;
}

void Counter::access(u64 address, unsigned bytes) {
  for (u64 line = address / lineBytes_; line <= (address + bytes - 1) / lineBytes_; ++line)
    if (lines_.empty() || lines_.back() != line) // of the lane before
      lines_.push_back(line);
}

void Counter::accessLocal(u32 offset, unsigned bytes, int lane) {
  for (u32 word = offset / 4; word <= (offset + bytes - 1) / 4; ++word)
    if (const Word access{unsigned(lane) / Banks, word}; banks_.empty() || banks_.back() != access)
      banks_.push_back(access);
}

void Counter::finish(const Instruction &instruction) {
  ++counts_.instructions[size_t(instruction.unit)];
  if (!lines_.empty()) {
    sortUnique(lines_);
    const bool writes = instruction.effect == Effect::Store || instruction.effect == Effect::Atomic;
    (instruction.memory == MemoryKind::Scalar ? counts_.scalarLines
     : writes                                 ? counts_.storedLines
                                              : counts_.lines) += lines_.size();
  }
  if (banks_.empty())
    return;
  // Lanes that read the same word share the access. The bank with the most words decides how long the others wait.
  sortUnique(banks_);
  for (auto begin = banks_.begin(); begin != banks_.end();) {
    const auto end =
        std::ranges::find_if(begin, banks_.end(), [&](const Word &word) { return word.part != begin->part; });
    std::array<u64, Banks> words{};
    for (auto word = begin; word != end; ++word)
      ++words[word->index % Banks];
    counts_.bankConflicts += *std::ranges::max_element(words) - (u64(end - begin) + Banks - 1) / Banks;
    begin = end;
  }
}

} // namespace kiln::emulator
