#include "runtime/program/LocalSize.h"
#include <gtest/gtest.h>

using namespace kiln;

namespace {
LocalSizeRules rules(bool uniform = true) {
  return {
      .maxPerDimension = {4096, 4096, 4096}, .maxItems = 4096, .multiple = 16, .computeUnits = 4, .uniform = uniform};
}
uint64_t items(const std::array<uint64_t, 3> &size) { return size[0] * size[1] * size[2]; }
} // namespace

TEST(LocalSize, DividesWhereItMust) {
  for (uint64_t x : {1, 2, 7, 100, 1000, 1021, 1'000'003})
    for (uint64_t y : {1, 3, 640}) {
      auto local = chooseLocalSize({x, y, 1}, rules());
      EXPECT_EQ(x % local[0], 0u) << x;
      EXPECT_EQ(y % local[1], 0u) << y;
      EXPECT_LE(items(local), 4096u);
    }
}

// A prime size must not give groups of one work-item if the last group may be smaller.
TEST(LocalSize, PrimeSizeHasARemainder) { EXPECT_GE(items(chooseLocalSize({1'000'003, 1, 1}, rules(false))), 128u); }

// Groups are uniform, but the last one of dimension 0 has work-items that end at once.
TEST(LocalSize, RoundedDimensionsNeedNotBeDivided) {
  LocalSizeRules rounded = rules(true);
  rounded.roundedDims = 1;
  EXPECT_EQ(chooseLocalSize({1'000'003, 1, 1}, rounded), (std::array<uint64_t, 3>{256, 1, 1}));
  EXPECT_EQ(chooseLocalSize({1, 1'000'003, 1}, rounded), (std::array<uint64_t, 3>{1, 1, 1}));
}

TEST(LocalSize, PrefersTheMultiple) { EXPECT_EQ(chooseLocalSize({48'000, 1, 1}, rules())[0] % 16, 0u); }

TEST(LocalSize, LeavesGroupsForEveryUnit) {
  auto local = chooseLocalSize({1024, 1, 1}, rules());
  EXPECT_GE(1024 / local[0], 16u);
  EXPECT_GE(local[0], 16u);
}

TEST(LocalSize, ObeysLimits) {
  LocalSizeRules small = rules();
  small.maxItems = 8;
  small.maxPerDimension = {4, 4096, 4096};
  auto local = chooseLocalSize({4096, 4096, 1}, small);
  EXPECT_LE(local[0], 4u);
  EXPECT_LE(items(local), 8u);
}

// If results do not depend on the local size, groups are long rows of whole vectors, and there are enough of them.
TEST(LocalSize, MakesLongRowsIfTheSizeIsFree) {
  LocalSizeRules free = rules();
  free.dependsOnLocalSize = false;
  EXPECT_EQ(chooseLocalSize({1200, 1000, 1}, free), (std::array<uint64_t, 3>{1200, 2, 1}));
  EXPECT_EQ(chooseLocalSize({1'000'003, 1, 1}, free)[0], 4096u);
  EXPECT_EQ(chooseLocalSize({1000, 1, 1}, free)[0], 16u);
  EXPECT_EQ(chooseLocalSize({20, 10'000, 1}, free)[0], 20u);
}

TEST(LocalSize, MakesRowsAlongTheDimensionThatTheKernelPrefers) {
  LocalSizeRules free = rules();
  free.dependsOnLocalSize = false;
  free.rowDimension = 1;
  EXPECT_EQ(chooseLocalSize({1000, 1200, 1}, free), (std::array<uint64_t, 3>{2, 1200, 1}));
  EXPECT_EQ(chooseLocalSize({10'000, 20, 1}, free)[1], 20u);
  free.rowDimension = 2;
  EXPECT_EQ(chooseLocalSize({8, 1000, 1200}, free), (std::array<uint64_t, 3>{2, 1, 1200}));
  free.rowDimension = 1;
  free.prefersTiles = true;
  EXPECT_EQ(chooseLocalSize({1024, 1024, 1}, free), (std::array<uint64_t, 3>{64, 64, 1}));
}

TEST(LocalSize, MakesTilesIfTheKernelPrefersThem) {
  LocalSizeRules free = rules();
  free.dependsOnLocalSize = false;
  free.prefersTiles = true;
  EXPECT_EQ(chooseLocalSize({1024, 1024, 1}, free), (std::array<uint64_t, 3>{64, 64, 1}));
  EXPECT_EQ(chooseLocalSize({1 << 20, 1, 1}, free)[0], 4096u);
  // Otherwise a row of a tile has the preferred multiple, such as a sub-group.
  LocalSizeRules fixed = rules();
  fixed.prefersTiles = true;
  EXPECT_EQ(chooseLocalSize({1024, 1024, 1}, fixed), (std::array<uint64_t, 3>{16, 16, 1}));
  EXPECT_EQ(chooseLocalSize({1 << 20, 1, 1}, fixed)[0], 256u);
  EXPECT_EQ(chooseLocalSize({1000, 1000, 1}, fixed), (std::array<uint64_t, 3>{10, 25, 1}));
}
