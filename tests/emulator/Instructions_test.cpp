// One case for each way in which operands are read and results are written, and for instructions with rules of their
// own. compare_with_pseudo_code.py compares the others with AMD's descriptions.
#include "tests/emulator/OneWave.h"

namespace kiln::emulator {
namespace {

TEST(EmulatedScalar, CarryAndOverflow) {
  OneWave one("gfx942");
  one.wave.setScalar(1, 0xffffffff);
  one.execute("s_add_u32 s0, s1, 1");
  EXPECT_EQ(one.wave.scalar(0), 0u);
  EXPECT_TRUE(one.wave.scc);
  one.execute("s_addc_u32 s0, 0, 0");
  EXPECT_EQ(one.wave.scalar(0), 1u);
  EXPECT_FALSE(one.wave.scc);
  one.wave.setScalar(1, 0x7fffffff);
  one.execute("s_add_i32 s0, s1, 1");
  EXPECT_TRUE(one.wave.scc);
}
TEST(EmulatedScalar, ConstantsOf16BitsAreSigned) {
  OneWave one("gfx942");
  one.execute("s_movk_i32 s0, 0xff83");
  EXPECT_EQ(one.wave.scalar(0), u32(-125));
  one.execute("s_cmpk_lt_i32 s0, 0xffff");
  EXPECT_TRUE(one.wave.scc);
  one.execute("s_cmpk_lt_u32 s0, 0xffff");
  EXPECT_FALSE(one.wave.scc);
}
TEST(EmulatedScalar, SaveExec) {
  OneWave one("gfx942");
  one.wave.setScalarPair(Exec, 0xf0);
  one.wave.setScalarPair(4, 0x3c);
  one.execute("s_and_saveexec_b64 s[2:3], s[4:5]");
  EXPECT_EQ(one.wave.scalarPair(2), 0xf0u);
  EXPECT_EQ(one.wave.exec(), 0x30u);
  EXPECT_TRUE(one.wave.scc);
  one.execute("s_andn2_saveexec_b64 s[2:3], s[4:5]");
  EXPECT_EQ(one.wave.exec(), 0xcu);
}
// instructions/ScalarHalf.cpp
TEST(EmulatedScalar, Halves) {
  OneWave one("gfx1201");
  one.wave.setScalar(0, 0xffff3c01); // 1 + 2^-10
  one.wave.setScalar(1, 0x00001400); // 2^-10
  one.execute("s_add_f16 s2, s0, s1");
  EXPECT_EQ(one.wave.scalar(2), 0x3c02u);
  one.execute("s_mul_f16 s2, s0, 2.0");
  EXPECT_EQ(one.wave.scalar(2), 0x4001u);
  one.execute("s_cmp_lt_f16 s1, s0");
  EXPECT_TRUE(one.wave.scc);
  one.execute("s_cvt_f32_f16 s2, s1");
  EXPECT_EQ(one.wave.scalar(2), 0x3a800000u);
  one.execute("s_cvt_f16_f32 s2, s2");
  EXPECT_EQ(one.wave.scalar(2), 0x1400u);
}
TEST(EmulatedVector, MultiplyAddFlushesDenormals) {
  OneWave one("gfx90a");
  one.setF32(0, 0x1p-130f);
  one.setF32(1, 3);
  one.setF32(2, 0x1p-127f);
  one.execute("v_mad_f32 v3, v0, v1, v1");
  EXPECT_EQ(one.getF32(3), 3.0f);
  one.execute("v_madmk_f32 v3, v1, 0x40000000, v2");
  EXPECT_EQ(one.getF32(3), 6.0f);
  one.execute("v_mac_f32_e32 v3, v1, v1");
  EXPECT_EQ(one.getF32(3), 15.0f);
  // The product is rounded: (1 + 2^-23)^2 - 1 - 2^-22 is 2^-46 without.
  one.setF32(1, 1 + 0x1p-23f);
  one.setF32(2, -(1 + 0x1p-22f));
  one.execute("v_mad_f32 v3, v1, v1, v2");
  EXPECT_EQ(one.getF32(3), 0.0f);
}
TEST(EmulatedVector, OnlyActiveLanesChange) {
  OneWave one("gfx942");
  one.wave.vector(0).fill(7);
  one.wave.setScalarPair(Exec, u64(1) << 63 | 1);
  one.execute("v_mov_b32_e32 v0, 1");
  EXPECT_EQ(one.wave.vector(0)[0], 1u);
  EXPECT_EQ(one.wave.vector(0)[1], 7u);
  EXPECT_EQ(one.wave.vector(0)[63], 1u);
}
TEST(EmulatedVector, CarryIsAMaskOfTheWaveSize) {
  for (const char *processor : {"gfx942", "gfx1100"}) {
    OneWave one(processor);
    one.wave.vector(1).fill(0);
    one.wave.vector(1)[5] = 0xffffffff;
    one.wave.setScalarPair(Vcc, 0);
    one.wave.setScalarPair(2, 0x1111111100000000);
    one.execute(one.wave.lanes == 64 ? "v_add_co_u32_e64 v0, s[2:3], v1, 1" : "v_add_co_u32_e64 v0, s2, v1, 1");
    EXPECT_EQ(one.wave.scalarPair(2), one.wave.lanes == 64 ? 0x20u : 0x1111111100000020u) << processor;
    EXPECT_EQ(one.wave.vector(0)[5], 0u);
  }
}
TEST(EmulatedVector, ClampOfIntegersSaturates) {
  OneWave one("gfx942");
  one.wave.vector(1).fill(0xfffffff0);
  one.execute("v_add_u32_e64 v0, v1, v1 clamp");
  EXPECT_EQ(one.wave.vector(0)[0], 0xffffffffu);
  one.execute("v_sub_u32_e64 v0, 1, v1 clamp");
  EXPECT_EQ(one.wave.vector(0)[0], 0u);
  one.wave.vector(1).fill(0x7ffffff0);
  one.execute("v_add_i32 v0, v1, v1 clamp");
  EXPECT_EQ(one.wave.vector(0)[0], 0x7fffffffu);
}
TEST(EmulatedVector, ScaleAndClampOfFloats) {
  OneWave one("gfx942");
  one.setF32(1, 0.375f);
  one.execute("v_add_f32_e64 v0, v1, v1 mul:2");
  EXPECT_EQ(one.getF32(0), 1.5f);
  one.execute("v_add_f32_e64 v0, v1, v1 clamp mul:2");
  EXPECT_EQ(one.getF32(0), 1.0f);
  one.execute("v_fma_f32 v0, -|v1|, 4.0, 0.5");
  EXPECT_EQ(one.getF32(0), -1.0f);
}
TEST(EmulatedVector, ConstantsByTypeOfOperand) {
  OneWave one("gfx942");
  one.setF64(2, 3.0);
  one.execute("v_mul_f64 v[0:1], v[2:3], 0.5");
  EXPECT_EQ(std::bit_cast<f64>(one.get64(0)), 1.5);
  one.execute("v_add_f64 v[0:1], v[2:3], 0x40080000"); // a literal is the high half
  EXPECT_EQ(std::bit_cast<f64>(one.get64(0)), 6.0);
  one.execute("v_lshl_add_u64 v[0:1], -1, 0, 0");
  EXPECT_EQ(one.get64(0), ~u64(0));
  one.execute("v_mov_b32_e32 v0, 1.0");
  EXPECT_EQ(one.wave.vector(0)[0], 0x3f800000u);
  one.wave.vector(1).fill(0x3c00);
  one.execute("v_add_f16_e32 v0, 1.0, v1");
  EXPECT_EQ(one.wave.vector(0)[0], 0x4000u);
}
TEST(EmulatedVector, HighHalvesByGeneration) {
  OneWave gfx9("gfx942"), gfx11("gfx1100");
  for (OneWave *one : {&gfx9, &gfx11}) {
    one->wave.vector(0).fill(0xaaaabbbb);
    one->wave.vector(1).fill(0x00070003);
  }
  gfx9.execute("v_add_u16_e32 v0, v1, v1");
  EXPECT_EQ(gfx9.wave.vector(0)[0], 6u);
  gfx11.execute("v_add_nc_u16 v0.h, v1.h, v1.l");
  EXPECT_EQ(gfx11.wave.vector(0)[0], 0x000abbbbu);
}
TEST(EmulatedVector, SwapsHalves) {
  OneWave one("gfx1100");
  one.wave.vector(2).fill(0x11112222);
  one.wave.vector(6).fill(0x33334444);
  one.wave.setMask(Exec, 2);
  one.execute("v_swap_b16 v6.l, v2.h");
  EXPECT_EQ(one.wave.vector(6)[1], 0x33331111u);
  EXPECT_EQ(one.wave.vector(2)[1], 0x44442222u);
  one.execute("v_swap_b16 v6.l, v6.h");
  EXPECT_EQ(one.wave.vector(6)[1], 0x11113333u);
  EXPECT_EQ(one.wave.vector(6)[0], 0x33334444u) << "an inactive lane";
}
TEST(EmulatedVector, SdwaParts) {
  OneWave one("gfx942");
  one.wave.vector(0).fill(0x11223344);
  one.wave.vector(1).fill(0x000080ff);
  one.wave.vector(2).fill(0);
  one.execute(
      "v_add_u32_sdwa v0, sext(v1), v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_1 src1_sel:DWORD");
  EXPECT_EQ(one.wave.vector(0)[0], 0xff803344u);
  one.execute("v_or_b32_sdwa v0, v1, v2 dst_sel:BYTE_2 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD");
  EXPECT_EQ(one.wave.vector(0)[0], 0x00ff0000u);
}
TEST(EmulatedVector, DppReadsOtherLanes) {
  OneWave one("gfx942");
  for (unsigned lane = 0; lane < 64; ++lane)
    one.wave.vector(1)[lane] = lane;
  one.wave.vector(0).fill(99);
  one.execute("v_mov_b32_dpp v0, v1 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf");
  EXPECT_EQ(one.wave.vector(0)[5], 6u);
  one.wave.vector(0).fill(99);
  one.execute("v_mov_b32_dpp v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf");
  EXPECT_EQ(one.wave.vector(0)[16], 99u); // outside of the row: not written
  EXPECT_EQ(one.wave.vector(0)[17], 16u);
  one.execute("v_mov_b32_dpp v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1");
  EXPECT_EQ(one.wave.vector(0)[16], 0u);
  one.wave.vector(0).fill(99);
  one.execute("v_mov_b32_dpp v0, v1 row_bcast:15 row_mask:0xa bank_mask:0xf");
  EXPECT_EQ(one.wave.vector(0)[20], 15u);
  EXPECT_EQ(one.wave.vector(0)[40], 99u); // the row mask excludes it
}
TEST(EmulatedVector, PackedHalvesBySelection) {
  OneWave one("gfx942");
  one.wave.vector(1).fill(0x00050002);
  one.wave.vector(2).fill(0x00400010);
  one.execute("v_pk_add_u16 v0, v1, v2");
  EXPECT_EQ(one.wave.vector(0)[0], 0x00450012u);
  one.execute("v_pk_add_u16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1]");
  EXPECT_EQ(one.wave.vector(0)[0], 0x00420015u);
  one.wave.vector(3).fill(std::bit_cast<u32>(2.0f));
  one.wave.vector(4).fill(std::bit_cast<u32>(3.0f));
  one.wave.setScalar(2, std::bit_cast<u32>(10.0f));
  one.execute("v_pk_mul_f32 v[6:7], s[2:3], v[3:4] op_sel_hi:[0,1]");
  EXPECT_EQ(one.getF32(6), 20.0f);
  EXPECT_EQ(one.getF32(7), 30.0f);
}
// A source is a float without op_sel_hi and a half with it.
TEST(EmulatedVector, MixedPrecisionSources) {
  for (const char *processor : {"gfx942", "gfx1100"}) {
    OneWave one(processor);
    one.wave.vector(1)[0] = std::bit_cast<u32>(3.0f);
    one.wave.vector(2)[0] = 0x4000'3c00; // 2 and 1
    one.wave.vector(3)[0] = 0x1234'5678;
    one.execute("v_fma_mixlo_f16 v3, v1, v1, v1");
    EXPECT_EQ(one.wave.vector(3)[0], 0x1234'4a00u) << "12";
    one.execute("v_fma_mixhi_f16 v3, v2, v1, 0 op_sel:[1,0,0] op_sel_hi:[1,0,0]");
    EXPECT_EQ(one.wave.vector(3)[0], 0x4600'4a00u) << "6";
    one.execute("v_fma_mix_f32 v3, v1, v2, v2 op_sel_hi:[0,1,1]");
    EXPECT_EQ(one.wave.vector(3)[0], std::bit_cast<u32>(4.0f));
  }
}

TEST(EmulatedVector, ModeRoundsAndFlushes) {
  OneWave one("gfx942");
  one.setF32(1, 1.0f);
  one.setF32(2, 0x1p-30f);
  one.execute("v_add_f32_e32 v0, v1, v2");
  EXPECT_EQ(one.getF32(0), 1.0f);
  one.execute("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1");
  one.execute("v_add_f32_e32 v0, v1, v2");
  EXPECT_EQ(one.getF32(0), 1.0f + 0x1p-23f);
  one.setF32(1, 0x1p-127f);
  one.execute("v_mul_f32_e32 v0, 1.0, v1");
  EXPECT_EQ(one.getF32(0), 0x1p-127f);
  one.execute("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0");
  one.execute("v_mul_f32_e32 v0, 1.0, v1");
  EXPECT_EQ(one.getF32(0), 0.0f);
}
TEST(EmulatedVector, DivisionSteps) {
  OneWave one("gfx942");
  // 2^-140 / 2^-100: the denominator's scale keeps the result.
  one.setF32(1, 0x1p-100f);
  one.setF32(2, 0x1p-140f);
  one.execute("v_div_scale_f32 v0, vcc, v2, v1, v2");
  EXPECT_EQ(one.getF32(0), 0x1p-76f);
  one.setF32(3, 5.0f);
  one.setF32(4, 0.0f);
  one.execute("v_div_fixup_f32 v0, v3, v4, v3"); // 5 / 0
  EXPECT_EQ(one.getF32(0), HUGE_VALF);
}
// 2^-1022 / 1.5 and 2^-126 / 1.5: the scaled quotients are near ties of the denormal ones, and would be on them after a
// separate rounding.
TEST(EmulatedVector, LastStepOfDivisionRoundsOnce) {
  OneWave one("gfx942");
  one.wave.setMask(Vcc, ~u64(0));
  for (f64 sign : {1.0, -1.0}) {
    one.setF64(2, sign * 0x1.5555555555555p-895);
    one.setF64(4, sign * 0x1.5555555555555p-949); // a third of the last bit
    one.execute("v_div_fmas_f64 v[0:1], v[4:5], 1.0, v[2:3]");
    EXPECT_EQ(std::bit_cast<f64>(one.get64(0)), sign * 0x0.aaaaaaaaaaaabp-1022);
  }
  one.setF32(1, 0x1.555556p-63f);
  one.setF32(2, -0x1.555556p-88f);
  one.execute("v_div_fmas_f32 v0, v2, 1.0, v1");
  EXPECT_EQ(one.getF32(0), 0x0.aaaaaap-126f);
  one.wave.setMask(Vcc, 0); // no scale
  one.execute("v_div_fmas_f32 v0, v2, 1.0, v1");
  EXPECT_EQ(one.getF32(0), 0x1.555556p-63f);
}
TEST(EmulatedVector, DualInstructionReadsBeforeItWrites) {
  OneWave one("gfx1100");
  one.wave.vector(0).fill(1);
  one.wave.vector(1).fill(2);
  one.execute("v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0");
  EXPECT_EQ(one.wave.vector(0)[3], 2u);
  EXPECT_EQ(one.wave.vector(1)[3], 1u);
}
TEST(EmulatedVector, CompareSetsExecToo) {
  OneWave one("gfx1100");
  for (unsigned lane = 0; lane < 32; ++lane)
    one.wave.vector(1)[lane] = lane;
  one.execute("v_cmpx_lt_u32_e32 3, v1");
  EXPECT_EQ(one.wave.exec(), 0xfffffff0u);
}
TEST(EmulatedVector, IndexedRegisters) {
  OneWave one("gfx942");
  one.wave.vector(7).fill(42);
  one.execute("s_set_gpr_idx_on 3, gpr_idx(SRC0)");
  one.execute("v_mov_b32_e32 v0, v4");
  one.execute("s_set_gpr_idx_off");
  EXPECT_EQ(one.wave.vector(0)[0], 42u);
}
TEST(EmulatedMemory, LoadsCheckAllocations) {
  OneWave one("gfx942");
  std::vector<u32> memory(64, 5);
  addressSpace().add(memory.data(), memory.size() * 4);
  one.launch.ranges = addressSpace().ranges();
  one.wave.setScalarPair(2, u64(memory.data()));
  for (unsigned lane = 0; lane < 64; ++lane)
    one.wave.vector(1)[lane] = lane * 4;
  one.execute("global_load_dword v0, v1, s[2:3]");
  EXPECT_EQ(one.wave.vector(0)[63], 5u);
  EXPECT_NE(one.fault("global_load_dword v0, v1, s[2:3] offset:4").find("lane 63: a read of 4 bytes"),
            std::string::npos);
  addressSpace().remove(memory.data());
}
TEST(EmulatedMemory, LocalMinimumOfFloats) {
  OneWave one("gfx1201");
  one.wave.setScalarPair(Exec, 1);
  one.wave.vector(0).fill(16);
  one.setF32(1, 2);
  one.execute("ds_store_b32 v0, v1");
  one.setF32(2, -3);
  one.execute("ds_min_num_rtn_f32 v3, v0, v2");
  EXPECT_EQ(one.getF32(3), 2.0f);
  one.execute("ds_max_num_rtn_f32 v3, v0, v1");
  EXPECT_EQ(one.getF32(3), -3.0f);
}
TEST(EmulatedMemory, LocalAtomics) {
  OneWave one("gfx942");
  one.wave.vector(1).fill(16);
  one.wave.vector(2).fill(3);
  one.execute("ds_write_b32 v1, v2");
  one.execute("ds_add_rtn_u32 v0, v1, v2");
  u32 sum;
  std::memcpy(&sum, one.group.local.data() + 16, 4);
  EXPECT_EQ(sum, 3 + 64 * 3u);
  EXPECT_EQ(one.wave.vector(0)[1], 6u);
  one.wave.vector(1).fill(256);
  EXPECT_NE(one.fault("ds_read_b32 v0, v1").find("of which the group has 256 bytes"), std::string::npos);
}

} // namespace
} // namespace kiln::emulator
