#include "runtime/program/MemoryRanges.h"
#include <gtest/gtest.h>

namespace kiln {
namespace {

bool areDistinct(std::initializer_list<std::tuple<uint64_t, uint64_t, bool>> all) {
  MemoryRanges ranges;
  for (auto [begin, size, isWritten] : all)
    ranges.add(begin, size, isWritten);
  return ranges.areDistinct();
}

} // namespace

TEST(MemoryRanges, RangesThatTouchAreDistinct) {
  EXPECT_TRUE(areDistinct({}));
  EXPECT_TRUE(areDistinct({{4096, 64, true}}));
  EXPECT_TRUE(areDistinct({{4096, 64, true}, {4160, 64, true}}));
  EXPECT_TRUE(areDistinct({{4160, 64, true}, {4096, 64, false}}));
  EXPECT_TRUE(areDistinct({{UINT64_MAX - 63, 64, true}, {64, 64, true}}));
}

TEST(MemoryRanges, RangesThatOverlapAreNotDistinctIfOneIsWritten) {
  EXPECT_FALSE(areDistinct({{4096, 64, true}, {4096, 64, false}}));
  EXPECT_FALSE(areDistinct({{4096, 64, false}, {4159, 64, true}}));
  EXPECT_FALSE(areDistinct({{4096, 256, true}, {4160, 8, false}}));
  EXPECT_FALSE(areDistinct({{0, 16, true}, {4096, 64, false}, {4100, 4, true}}));
  EXPECT_TRUE(areDistinct({{4096, 64, false}, {4096, 64, false}}));
}

TEST(MemoryRanges, UnknownSizesOverlapAll) {
  EXPECT_FALSE(areDistinct({{4096, MemoryRanges::Unknown, false}, {64, 8, true}}));
  EXPECT_FALSE(areDistinct({{4096, 64, true}, {8192, MemoryRanges::Unknown, false}}));
  EXPECT_TRUE(areDistinct({{4096, MemoryRanges::Unknown, false}, {64, 8, false}}));
}

TEST(MemoryRanges, ManyRangesAreNotCompared) {
  MemoryRanges ranges;
  for (uint64_t i = 0; i < 32; ++i)
    ranges.add(i * 64, 64, true);
  EXPECT_TRUE(ranges.areDistinct());
  ranges.add(1 << 20, 64, false);
  EXPECT_FALSE(ranges.areDistinct());
}

} // namespace kiln
