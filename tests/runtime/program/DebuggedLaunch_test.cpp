#include "runtime/program/DebuggedLaunch.h"
#include <gtest/gtest.h>

namespace kiln::debugger {
namespace {

using Ids = std::vector<uint64_t>;

TEST(DebuggedLaunch, SelectsAKernelAndAGroup) {
  EXPECT_EQ(parse("blur")->kernel, "blur");
  EXPECT_EQ(parse("blur")->group, Ids());
  EXPECT_EQ(parse("blur:7")->group, Ids({7}));
  EXPECT_EQ(parse("blur:1,0,2")->group, Ids({1, 0, 2}));
  EXPECT_EQ(parse("blur:1,0,2")->kernel, "blur");
}

TEST(DebuggedLaunch, RefusesOtherValues) {
  for (const char *value : {"blur:", ":1", "blur:x", "blur:1,2,3,4", "blur:-1", "blur:1x", "blur:99999999999999999999"})
    EXPECT_FALSE(parse(value)) << value;
}

TEST(DebuggedLaunch, NumbersGroupsWithDimension0First) {
  Launch launch;
  launch.globalSize = {10, 6, 4};
  launch.localSize = {4, 2, 1}; // 3 * 3 * 4 groups; the last in dimension 0 is smaller
  EXPECT_EQ(numberOf({35}, launch), 35u);
  EXPECT_EQ(numberOf({36}, launch), std::nullopt);
  EXPECT_EQ(numberOf({2, 1}, launch), 5u);
  EXPECT_EQ(numberOf({2, 1, 3}, launch), 32u);
  EXPECT_EQ(numberOf({3, 0, 0}, launch), std::nullopt);
  EXPECT_EQ(numberOf({0, 0, 4}, launch), std::nullopt);
}

} // namespace
} // namespace kiln::debugger
