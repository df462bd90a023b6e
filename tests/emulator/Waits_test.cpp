// Missing waits are reported; those that LLVM leaves out because results arrive in order are not.
#include "emulator/decode/Decode.h"
#include "emulator/machine/Fault.h"
#include "emulator/machine/Waits.h"
#include <gtest/gtest.h>
#include <vector>

namespace kiln::emulator {
namespace {

/// The message of the fault that the lines cause on a processor of the generation; empty if they cause none.
std::string faultOf(unsigned generation, std::initializer_list<const char *> lines) {
  Waits waits(generation);
  std::vector<std::unique_ptr<Instruction>> instructions;
  try {
    for (const char *line : lines) {
      instructions.push_back(decodeLine(line));
      waits.before(*instructions.back());
    }
  } catch (const Fault &fault) {
    return fault.what();
  }
  return "";
}

TEST(EmulatorWaits, ResultOfALoad) {
  EXPECT_EQ(faultOf(9, {"global_load_dwordx2 v[2:3], v0, s[0:1]", "v_mov_b32_e32 v4, v3"}),
            "v3 is used without a wait for 'global_load_dwordx2 v[2:3], v0, s[0:1]'");
  EXPECT_EQ(faultOf(9, {"global_load_dwordx2 v[2:3], v0, s[0:1]", "s_waitcnt vmcnt(0)", "v_mov_b32_e32 v4, v3"}), "");
  EXPECT_NE(faultOf(9, {"global_load_dwordx2 v[2:3], v0, s[0:1]", "s_waitcnt lgkmcnt(0)", "v_mov_b32_e32 v4, v3"}), "");
}
TEST(EmulatorWaits, DestinationOfALoadIsOverwritten) {
  EXPECT_NE(faultOf(9, {"global_load_dword v2, v0, s[0:1]", "v_mov_b32_e32 v2, 0"}), "");
  EXPECT_EQ(faultOf(9, {"global_load_dword v2, v0, s[0:1]", "global_load_dword v2, v1, s[0:1]"}), "");
}
TEST(EmulatorWaits, OlderLoadsCompleteFirst) {
  EXPECT_EQ(faultOf(9, {"global_load_dword v2, v0, s[0:1]", "global_load_dword v3, v0, s[0:1]", "s_waitcnt vmcnt(1)",
                        "v_mov_b32_e32 v4, v2"}),
            "");
  EXPECT_NE(faultOf(9, {"global_load_dword v2, v0, s[0:1]", "global_load_dword v3, v0, s[0:1]", "s_waitcnt vmcnt(1)",
                        "v_mov_b32_e32 v4, v3"}),
            "");
}
TEST(EmulatorWaits, StoresCountWithLoadsOnGfx9Only) {
  const auto lines = {"global_load_dword v2, v0, s[0:1]", "global_store_dword v0, v5, s[0:1]", "s_waitcnt vmcnt(1)",
                      "v_mov_b32_e32 v4, v2"};
  EXPECT_EQ(faultOf(9, lines), "");
  EXPECT_NE(faultOf(11, lines), "");
}
TEST(EmulatorWaits, ScalarLoadsCompleteInAnyOrder) {
  EXPECT_NE(faultOf(9, {"s_load_dword s4, s[0:1], 0x0", "s_load_dword s5, s[0:1], 0x4", "s_waitcnt lgkmcnt(1)",
                        "s_mov_b32 s6, s4"}),
            "");
  EXPECT_EQ(faultOf(9, {"s_load_dword s4, s[0:1], 0x0", "s_load_dword s5, s[0:1], 0x4", "s_waitcnt lgkmcnt(0)",
                        "s_mov_b32 s6, s4"}),
            "");
}
TEST(EmulatorWaits, MessagesCompleteInOrder) {
  const char *first = "s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_REALTIME)",
             *second = "s_sendmsg_rtn_b64 s[6:7], sendmsg(MSG_RTN_GET_REALTIME)";
  EXPECT_EQ(faultOf(11, {first, second, "s_waitcnt lgkmcnt(1)", "s_mov_b32 s8, s5"}), "");
  EXPECT_NE(faultOf(11, {first, second, "s_waitcnt lgkmcnt(1)", "s_mov_b32 s8, s7"}), "");
  EXPECT_EQ(faultOf(12, {first, second, "s_wait_kmcnt 0x1", "s_mov_b32 s8, s5"}), "");
  // In no order with an access of local memory, which has the same counter.
  EXPECT_NE(faultOf(11, {first, "ds_load_b32 v1, v0", "s_waitcnt lgkmcnt(1)", "s_mov_b32 s8, s5"}), "");
  EXPECT_EQ(faultOf(11, {first, "ds_load_b32 v1, v0", "s_waitcnt lgkmcnt(0)", "s_mov_b32 s8, s5"}), "");
}
TEST(EmulatorWaits, CountersOfGfx12) {
  EXPECT_NE(faultOf(12, {"s_load_b32 s4, s[0:1], 0x0", "s_wait_dscnt 0x0", "s_mov_b32 s6, s4"}), "");
  EXPECT_EQ(faultOf(12, {"s_load_b32 s4, s[0:1], 0x0", "s_wait_kmcnt 0x0", "s_mov_b32 s6, s4"}), "");
  EXPECT_EQ(faultOf(12, {"ds_load_b32 v1, v0", "s_wait_loadcnt_dscnt 0x0", "v_mov_b32_e32 v6, v1"}), "");
}

} // namespace
} // namespace kiln::emulator
