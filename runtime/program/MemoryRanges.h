// The memory of a launch's arguments, to find out whether arguments overlap (Launch::distinctArguments).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace kiln {

class MemoryRanges {
public:
  /// The size of memory that begins at a pointer of which nothing else is known.
  static constexpr uint64_t Unknown = UINT64_MAX;

  void add(uint64_t begin, uint64_t size, bool isWritten) {
    if (count_ < MaxRanges)
      ranges_[count_] = {begin, size, isWritten};
    ++count_;
  }

  /// Returns true if no range that is written overlaps another one. False if a size is unknown, as the memory before
  /// such a pointer may be accessed as well, and above MaxRanges ranges.
  bool areDistinct() const {
    if (count_ > MaxRanges)
      return false;
    for (size_t i = 0; i < count_; ++i)
      for (size_t j = 0; j < i; ++j)
        if ((ranges_[i].isWritten || ranges_[j].isWritten) && overlap(ranges_[i], ranges_[j]))
          return false;
    return true;
  }

private:
  // `areDistinct` compares each pair of ranges, which takes about 1 us for 32 of them. Nearly all kernels have fewer.
  static constexpr size_t MaxRanges = 32;

  struct Range {
    uint64_t begin, size;
    bool isWritten;
  };
  // Differences of addresses do not wrap around, sums might.
  static bool overlap(const Range &a, const Range &b) {
    if (a.size == Unknown || b.size == Unknown)
      return true;
    return a.begin < b.begin ? b.begin - a.begin < a.size : a.begin - b.begin < b.size;
  }

  std::array<Range, MaxRanges> ranges_;
  size_t count_ = 0;
};

} // namespace kiln
