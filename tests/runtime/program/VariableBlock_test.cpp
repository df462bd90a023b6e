// The block of program variables, on devices whose memory the host can access and on others.
#include "backends/null/NullDevice.h"
#include "runtime/program/VariableBlock.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace kiln;

namespace {
struct VariableBlockTest : testing::Test {
  ProgramVariables example() {
    ProgramVariables variables{.size = 32, .alignment = 8, .largest = 16, .image = {}, .relocations = {}};
    variables.image = {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0, 9};
    variables.relocations = {{8, 24}};
    return variables;
  }
  void SetUp() override { device.info_.maxGlobalVariableSize = 1 << 20; }
  cl_int codeOf(const ProgramVariables &variables) { return VariableBlock::create(device, variables).code(); }
  null::NullDevice device;
};
} // namespace

TEST_F(VariableBlockTest, NoneWithoutVariables) {
  Result<VariableBlock> block = VariableBlock::create(device, {});
  ASSERT_TRUE(block.ok());
  EXPECT_EQ(block->address(), 0u);
}

TEST_F(VariableBlockTest, ImageAddressesAndZeros) {
  Result<VariableBlock> block = VariableBlock::create(device, example());
  ASSERT_TRUE(block.ok());
  std::vector<uint8_t> expected(32);
  for (uint8_t i = 0; i < 8; ++i)
    expected[i] = i + 1;
  uint64_t inside = block->address() + 24;
  std::memcpy(&expected[8], &inside, 8);
  expected[16] = 9;
  EXPECT_EQ(std::memcmp(reinterpret_cast<void *>(block->address()), expected.data(), 32), 0);
}

TEST_F(VariableBlockTest, LargerAlignmentThanTheDevices) {
  for (uint64_t alignment : {256, 4096, 1 << 16}) {
    ProgramVariables variables = example();
    variables.alignment = alignment;
    Result<VariableBlock> block = VariableBlock::create(device, variables);
    ASSERT_TRUE(block.ok());
    EXPECT_EQ(block->address() % alignment, 0u);
    EXPECT_EQ(reinterpret_cast<uint8_t *>(block->address())[31], 0);
  }
}

// If the host cannot access the memory, the device runs a copy and a fill.
TEST_F(VariableBlockTest, ThroughAStream) {
  device.info_.sharesHostMemory = false;
  ASSERT_TRUE(VariableBlock::create(device, example()).ok());
  EXPECT_EQ(device.recordedCalls(),
            (std::vector<null::RecordedCall>{null::RecordedCall::Copy, null::RecordedCall::Fill}));
}

TEST_F(VariableBlockTest, TooMuch) {
  ProgramVariables variables = example();
  variables.largest = (1 << 20) + 1;
  EXPECT_NE(codeOf(variables), CL_SUCCESS);
  variables = example();
  variables.size = device.info().maxAllocSize + 1;
  EXPECT_NE(codeOf(variables), CL_SUCCESS);
  variables.size = UINT64_MAX;
  EXPECT_NE(codeOf(variables), CL_SUCCESS);
}

// Cache entries have a checksum, which does not authenticate.
TEST_F(VariableBlockTest, InvalidMetadataIsRejected) {
  ProgramVariables variables = example();
  variables.size = 16;
  EXPECT_NE(codeOf(variables), CL_SUCCESS) << "an image larger than the block";
  for (uint64_t alignment : {uint64_t(0), uint64_t(3), UINT64_MAX, uint64_t(1) << 63}) {
    variables = example();
    variables.alignment = alignment;
    EXPECT_NE(codeOf(variables), CL_SUCCESS) << "alignment " << alignment;
  }
  for (uint64_t offset : {uint64_t(10), uint64_t(17), uint64_t(31), UINT64_MAX - 3, UINT64_MAX}) {
    variables = example();
    variables.relocations = {{offset, 0}};
    EXPECT_NE(codeOf(variables), CL_SUCCESS) << "an address at " << offset;
  }
  variables = example();
  variables.relocations = {{9, UINT64_MAX}};
  EXPECT_EQ(codeOf(variables), CL_SUCCESS) << "addresses point anywhere, and need not be aligned";
  variables.image.clear();
  EXPECT_NE(codeOf(variables), CL_SUCCESS) << "an address without an image";
}
