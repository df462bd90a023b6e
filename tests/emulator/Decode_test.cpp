// Assembly text to operands and modifiers.
#include "emulator/decode/Decode.h"
#include "emulator/decode/Parse.h"
#include <gtest/gtest.h>

namespace kiln::emulator {
namespace {

Instruction parse(const char *line, std::string *mnemonic = nullptr) {
  Instruction instruction;
  std::string second, name = parseInstruction(line, instruction, second);
  if (mnemonic)
    *mnemonic = name;
  EXPECT_EQ(instruction.why, "") << line;
  return instruction;
}

TEST(EmulatorParse, MnemonicWithoutEncoding) {
  std::string name;
  parse("v_add_f32_e64_dpp v0, v1, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", &name);
  EXPECT_EQ(name, "v_add_f32");
}
TEST(EmulatorParse, RangesOfRegisters) {
  Instruction i = parse("global_load_dwordx4 v[4:7], v10, s[2:3] offset:-16 sc0");
  ASSERT_EQ(i.operandCount, 3);
  EXPECT_EQ(i.operands[0].kind, OperandKind::Vector);
  EXPECT_EQ(i.operands[0].index, 4);
  EXPECT_EQ(i.operands[0].count, 4);
  EXPECT_EQ(i.operands[2].kind, OperandKind::Scalar);
  EXPECT_EQ(i.offset, -16);
  EXPECT_TRUE(i.returns);
}
TEST(EmulatorParse, SourceModifiersAndConstants) {
  Instruction i = parse("v_fma_f32 v0, -|v1|, 0.5, -4 clamp mul:2");
  EXPECT_TRUE(i.operands[1].negate && i.operands[1].absolute);
  EXPECT_EQ(i.operands[2].kind, OperandKind::Real);
  EXPECT_EQ(i.operands[2].real, 0.5);
  EXPECT_EQ(i.operands[3].integer, -4);
  EXPECT_TRUE(i.clamp);
  EXPECT_EQ(i.outputScale, 2);
}
TEST(EmulatorParse, SelectionsOfSdwa) {
  Instruction i = parse("v_or_b32_sdwa v9, sext(v1), v10 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 "
                        "src1_sel:BYTE_3");
  EXPECT_TRUE(i.sdwa && i.operands[1].signExtend);
  EXPECT_EQ(i.destinationSelect, Select::Byte1);
  EXPECT_EQ(i.unused, Unused::Preserve);
  EXPECT_EQ(i.operands[1].select, Select::Word1);
  EXPECT_EQ(i.operands[2].select, Select::Byte3);
}
TEST(EmulatorParse, DualInstructions) {
  Instruction i;
  std::string second;
  EXPECT_EQ(parseInstruction("v_dual_mul_f32 v0, v1, v2 :: v_dual_cndmask_b32 v3, v4, v5", i, second), "v_mul_f32");
  EXPECT_EQ(second, "v_cndmask_b32");
  ASSERT_TRUE(i.second);
  EXPECT_EQ(i.second->operands[3].index, Vcc);
}
TEST(EmulatorParse, CountersOfWaits) {
  EXPECT_EQ(parseCounter("s_waitcnt vmcnt(3) lgkmcnt(0)", "lgkmcnt"), 0);
  EXPECT_EQ(parseCounter("s_waitcnt vmcnt(3) lgkmcnt(0)", "vmcnt"), 3);
  EXPECT_EQ(parseCounter("s_waitcnt vmcnt(3)", "expcnt"), -1);
}
TEST(EmulatorDecode, UnknownInstructionIsNamed) {
  EXPECT_NE(decodeLine("v_imaginary_f32 v0, v1")->why.find("'v_imaginary_f32'"), std::string::npos);
  EXPECT_NE(decodeLine("v_add_f32_e64 v0, v1, v2 sparkle:1")->why.find("'sparkle:1'"), std::string::npos);
}
TEST(EmulatorDecode, MachineCode) {
  std::unique_ptr<Disassembler> llvm = Disassembler::create("gfx942", 64);
  ASSERT_TRUE(llvm);
  const u32 code[] = {0xd1e80000, 0x04120501}; // v_mad_u64_u32
  std::unique_ptr<Instruction> i = decodeInstruction({reinterpret_cast<const u8 *>(code), sizeof code}, 0, *llvm);
  EXPECT_EQ(i->why, "");
  EXPECT_EQ(i->bytes, 8);
  EXPECT_TRUE(i->text.starts_with("v_mad_u64_u32 v[0:1]")) << i->text;
  const u32 nonsense[] = {0xffffffff, 0xffffffff};
  EXPECT_NE(decodeInstruction({reinterpret_cast<const u8 *>(nonsense), sizeof nonsense}, 0, *llvm)->why, "");
}

} // namespace
} // namespace kiln::emulator
