#include "runtime/program/Binary.h"
#include <gtest/gtest.h>

using namespace kiln;

namespace {
ProgramModule example() {
  ProgramModule module;
  module.binaryType = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  module.options = "-cl-mad-enable";
  module.spirv = {1, 2, 3, 4};
  module.specConstants = {{7, {1, 0, 0, 0}}};
  return module;
}
} // namespace

TEST(Binary, RoundTrip) {
  auto module = unpackBinary(packBinary(example()));
  ASSERT_TRUE(module);
  EXPECT_EQ(module->options, "-cl-mad-enable");
  EXPECT_EQ(module->spirv, (wire::Bytes{1, 2, 3, 4}));
  EXPECT_EQ(module->specConstants[0].id, 7u);
}

TEST(Binary, EveryFlippedByteIsRefused) {
  wire::Bytes bytes = packBinary(example());
  for (size_t i = 0; i < bytes.size(); ++i) {
    wire::Bytes damaged = bytes;
    damaged[i] ^= 0x40;
    EXPECT_FALSE(unpackBinary(damaged)) << "byte " << i;
  }
}

TEST(Binary, EveryTruncationIsRefused) {
  wire::Bytes bytes = packBinary(example());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(unpackBinary(std::span(bytes).first(size))) << size;
}
