#include "runtime/program/SubGroups.h"
#include <gtest/gtest.h>

using namespace kiln;

namespace {
const SubGroupRules Rules{.size = 16, .maxItems = 256, .maxPerDimension = {256, 64, 8}, .requiredLocalSize = {}};
using Sizes = std::array<size_t, 3>;
} // namespace

TEST(SubGroups, OfALocalSize) {
  EXPECT_EQ(Rules.largestIn(Sizes{64, 1, 1}), 16u);
  EXPECT_EQ(Rules.countIn(Sizes{64, 1, 1}), 4u);
  EXPECT_EQ(Rules.largestIn(Sizes{5, 2, 1}), 10u) << "a group smaller than a sub-group";
  EXPECT_EQ(Rules.countIn(Sizes{5, 2, 1}), 1u);
  EXPECT_EQ(Rules.countIn(Sizes{11, 3, 1}), 3u) << "the last one is smaller";
  EXPECT_EQ(Rules.countIn(std::array<size_t, 2>{16, 16}), 16u) << "two dimensions";
  EXPECT_EQ(Rules.countIn(std::array<size_t, 1>{17}), 2u);
}

TEST(SubGroups, OfInvalidLocalSizes) {
  for (Sizes size : {Sizes{512, 1, 1}, {128, 4, 1}, {1, 65, 1}, {1, 1, 9}, {0, 1, 1}, {SIZE_MAX, SIZE_MAX, 2}}) {
    EXPECT_EQ(Rules.countIn(size), 0u);
    EXPECT_EQ(Rules.largestIn(size), 0u);
  }
}

TEST(SubGroups, LocalSizeForACount) {
  EXPECT_EQ(Rules.localSizeFor(1), (Sizes{16, 1, 1}));
  EXPECT_EQ(Rules.localSizeFor(16), (Sizes{256, 1, 1}));
  EXPECT_EQ(Rules.localSizeFor(17), (Sizes{0, 0, 0})) << "too many for a group";
  EXPECT_EQ(Rules.localSizeFor(0), (Sizes{0, 0, 0}));
  EXPECT_EQ(Rules.localSizeFor(UINT64_MAX / 8), (Sizes{0, 0, 0}));
  for (uint64_t count = 1; count <= Rules.maxPerWorkGroup(); ++count)
    EXPECT_EQ(Rules.countIn(Rules.localSizeFor(count)), count) << "one answer fits the other";
}

TEST(SubGroups, WithARequiredLocalSize) {
  SubGroupRules rules = Rules;
  rules.requiredLocalSize = {8, 8, 1};
  EXPECT_EQ(rules.localSizeFor(4), (Sizes{8, 8, 1}));
  EXPECT_EQ(rules.localSizeFor(2), (Sizes{0, 0, 0}));
}

TEST(SubGroups, MaxPerWorkGroup) {
  EXPECT_EQ(Rules.maxPerWorkGroup(), 16u);
  SubGroupRules rules = Rules;
  rules.maxItems = 100;
  EXPECT_EQ(rules.maxPerWorkGroup(), 7u);
}
