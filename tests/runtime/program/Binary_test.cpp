#include "runtime/program/Binary.h"
#include <gtest/gtest.h>

using namespace kiln;

namespace {
ProgramModule example() {
  ProgramModule module;
  module.binaryType = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  module.options = "-D A -cl-mad-enable";
  module.flags.madEnable = true;
  module.spirv = {1, 2, 3, 4};
  module.specConstants = {{7, {1, 0, 0, 0}}};
  module.code = {5, 6};
  return module;
}
} // namespace

TEST(Binary, RoundTrip) {
  auto module = unpackBinary(packBinary(example()));
  ASSERT_TRUE(module);
  EXPECT_EQ(module->options, "-D A -cl-mad-enable");
  EXPECT_EQ(module->flags, protocol::CodeFlags{.madEnable = true});
  EXPECT_EQ(module->code, (wire::Bytes{5, 6}));
  EXPECT_EQ(module->spirv, (wire::Bytes{1, 2, 3, 4}));
  EXPECT_EQ(module->specConstants[0].id, 7u);
}

TEST(Binary, EveryFlippedByteIsRejected) {
  wire::Bytes bytes = packBinary(example());
  for (size_t i = 0; i < bytes.size(); ++i) {
    wire::Bytes damaged = bytes;
    damaged[i] ^= 0x40;
    EXPECT_FALSE(unpackBinary(damaged)) << "byte " << i;
  }
}

TEST(Binary, EveryTruncationIsRejected) {
  wire::Bytes bytes = packBinary(example());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(unpackBinary(std::span(bytes).first(size))) << size;
}

// A checksum does not authenticate, so the fields are checked as well.
TEST(Binary, InvalidFieldsAreRejected) {
  ProgramModule module = example();
  module.binaryType = CL_PROGRAM_BINARY_TYPE_NONE;
  EXPECT_FALSE(unpackBinary(packBinary(module)));
  module.binaryType = 99;
  EXPECT_FALSE(unpackBinary(packBinary(module)));
  module = example();
  module.spirv.clear();
  EXPECT_FALSE(unpackBinary(packBinary(module)));
  wire::Bytes longer = packBinary(example());
  longer.push_back(0);
  EXPECT_FALSE(unpackBinary(longer));
}

// A forged length allocates no more memory than there are bytes.
TEST(Binary, ForgedCounts) {
  wire::Bytes bytes(1 << 20);
  for (uint64_t count : {uint64_t(bytes.size()), uint64_t(bytes.size() / 9), uint64_t(1) << 40, UINT64_MAX}) {
    std::memcpy(bytes.data(), &count, sizeof count);
    std::vector<KernelInfo> kernels;
    wire::Reader reader(bytes);
    reader.read(kernels);
    EXPECT_FALSE(reader.finished());
    EXPECT_LE(kernels.capacity() * sizeof(KernelInfo), 4 * bytes.size()) << count;
    std::vector<std::string> texts;
    wire::Reader again(bytes);
    again.read(texts);
    EXPECT_LE(texts.capacity() * sizeof(std::string), 5 * bytes.size()) << count;
  }
}
