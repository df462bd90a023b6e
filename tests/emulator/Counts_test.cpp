// What the emulator counts: cache lines, conflicts in local memory, waves on a SIMD.
#include "emulator/decode/Decode.h"
#include "emulator/machine/Counts.h"
#include "emulator/machine/Occupancy.h"
#include <gtest/gtest.h>

namespace kiln::emulator {
namespace {

Counts countsOf(const char *line, unsigned stride, unsigned bytes) {
  const std::unique_ptr<Instruction> instruction = decodeLine(line);
  Counter counter(128);
  counter.begin();
  for (int lane = 0; lane < 64; ++lane)
    if (instruction->memory == MemoryKind::Local)
      counter.accessLocal(unsigned(lane) * stride, bytes, lane);
    else
      counter.access(0x10000 + u64(unsigned(lane)) * stride, bytes);
  counter.finish(*instruction);
  return counter.counts();
}

TEST(EmulatorCounts, CacheLines) {
  EXPECT_EQ(countsOf("global_load_dword v1, v0, s[0:1]", 4, 4).lines, 2u);
  EXPECT_EQ(countsOf("global_load_dword v1, v0, s[0:1]", 128, 4).lines, 64u);
  EXPECT_EQ(countsOf("global_load_dword v1, v0, s[0:1]", 0, 4).lines, 1u);
  EXPECT_EQ(countsOf("global_load_dwordx4 v[4:7], v0, s[0:1]", 120, 16).lines, 60u); // all lines of 63 * 120 + 16 bytes
  EXPECT_EQ(countsOf("global_store_dword v0, v1, s[0:1]", 4, 4).storedLines, 2u);
  EXPECT_EQ(countsOf("s_load_dword s4, s[0:1], 0x0", 0, 4).scalarLines, 1u);
}
TEST(EmulatorCounts, BankConflicts) {
  EXPECT_EQ(countsOf("ds_read_b32 v1, v0", 4, 4).bankConflicts, 0u);
  EXPECT_EQ(countsOf("ds_read_b32 v1, v0", 0, 4).bankConflicts, 0u); // all lanes read one word
  EXPECT_EQ(countsOf("ds_read_b32 v1, v0", 8, 4).bankConflicts, 2u);
  EXPECT_EQ(countsOf("ds_read_b32 v1, v0", 128, 4).bankConflicts, 62u); // one bank
  EXPECT_EQ(countsOf("ds_read_b64 v[2:3], v0", 8, 8).bankConflicts, 0u);
}
TEST(EmulatorCounts, Units) {
  auto unitOf = [](const char *line) { return decodeLine(line)->unit; };
  EXPECT_EQ(unitOf("s_and_b64 s[0:1], s[0:1], exec"), Unit::Scalar);
  EXPECT_EQ(unitOf("v_add_f32_e32 v0, v1, v2"), Unit::Vector);
  EXPECT_EQ(unitOf("v_rcp_f32_e32 v0, v1"), Unit::Transcendental);
  EXPECT_EQ(unitOf("s_load_dword s4, s[0:1], 0x0"), Unit::ScalarMemory);
  EXPECT_EQ(unitOf("flat_load_dword v0, v[2:3]"), Unit::VectorMemory);
  EXPECT_EQ(unitOf("scratch_load_dword v0, off, s32"), Unit::Scratch);
  EXPECT_EQ(unitOf("ds_read_b32 v1, v0"), Unit::Local);
  EXPECT_EQ(unitOf("s_cbranch_vccnz 4"), Unit::Branch);
  EXPECT_EQ(unitOf("s_barrier"), Unit::Barrier);
  EXPECT_EQ(unitOf("s_waitcnt vmcnt(0)"), Unit::Wait);
}

struct Case {
  const char *processor;
  unsigned vectorRegisters, scalarRegisters, localBytes, items, waves;
  const char *limit;
};
TEST(EmulatorCounts, Occupancy) {
  for (const Case &one :
       {Case{"gfx942", 64, 32, 0, 256, 8, "waves"}, Case{"gfx942", 72, 32, 0, 256, 7, "vector registers"},
        Case{"gfx942", 512, 32, 0, 256, 1, "vector registers"},
        Case{"gfx942", 32, 32, 32 << 10, 256, 2, "local memory"},
        Case{"gfx942", 32, 112, 0, 256, 7, "scalar registers"}, Case{"gfx1100", 96, 106, 0, 256, 16, "waves"},
        Case{"gfx1100", 97, 106, 0, 256, 12, "vector registers"},
        Case{"gfx1030", 128, 106, 0, 256, 8, "vector registers"},
        Case{"gfx1100", 32, 106, 64 << 10, 256, 4, "local memory"}}) {
    SCOPED_TRACE(testing::Message() << one.processor << ", " << one.vectorRegisters << " vector registers");
    Gpu gpu;
    ASSERT_TRUE(Gpu::describe(one.processor, gpu));
    KernelCode kernel;
    kernel.waveSize = gpu.waveSize;
    kernel.vectorRegisters = one.vectorRegisters;
    kernel.scalarRegisters = one.scalarRegisters;
    kernel.descriptor.group_segment_fixed_size = one.localBytes;
    Launch launch;
    launch.gpu = &gpu;
    launch.kernel = &kernel;
    launch.groupSize = {one.items, 1, 1};
    const Occupancy occupancy = occupancyOf(launch);
    EXPECT_EQ(occupancy.waves, one.waves);
    EXPECT_STREQ(occupancy.limit, one.limit);
  }
}

} // namespace
} // namespace kiln::emulator
