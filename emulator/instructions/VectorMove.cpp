// Moves between registers and lanes.
#include "emulator/instructions/AllTables.h"
#include "emulator/machine/Lanes.h"

namespace kiln::emulator {
namespace {

void readLane(Wave &wave, const Instruction &instruction) {
  const unsigned lane = readScalar<u32>(wave, instruction.operands[2]) % wave.lanes;
  writeScalar<u32>(wave, instruction.operands[0], wave.vector(instruction.operands[1].index)[lane]);
}
void readFirstLane(Wave &wave, const Instruction &instruction) {
  const Operand &source = instruction.operands[1];
  const unsigned lane = wave.exec() ? unsigned(std::countr_zero(wave.exec())) : 0;
  writeScalar<u32>(wave, instruction.operands[0],
                   source.kind == OperandKind::Vector ? wave.vector(source.index)[lane]
                                                      : readScalar<u32>(wave, source));
}
/// Does not depend on EXEC.
void writeLane(Wave &wave, const Instruction &instruction) {
  const unsigned lane = readScalar<u32>(wave, instruction.operands[2]) % wave.lanes;
  wave.vector(instruction.operands[0].index)[lane] = readScalar<u32>(wave, instruction.operands[1]);
}
void swapRegisters(Wave &wave, const Instruction &instruction) {
  VectorRegister &a = wave.vector(instruction.operands[0].index), &b = wave.vector(instruction.operands[1].index);
  for (u64 left = wave.exec(); left; left &= left - 1)
    std::swap(a[unsigned(std::countr_zero(left))], b[unsigned(std::countr_zero(left))]);
}
/// Swaps two halves, which may be those of one register.
void swapHalves(Wave &wave, const Instruction &instruction) {
  struct Half {
    VectorRegister &lanes;
    unsigned shift;
    Half(Wave &wave, const Operand &operand)
        : lanes(wave.vector(operand.index)), shift(operand.part == Part::High ? 16 : 0) {}
    u32 get(unsigned lane) const { return lanes[lane] >> shift & 0xffff; }
    void set(unsigned lane, u32 half) { lanes[lane] = (lanes[lane] & ~(0xffffu << shift)) | half << shift; }
  } a(wave, instruction.operands[0]), b(wave, instruction.operands[1]);
  for (u64 left = wave.exec(); left; left &= left - 1) {
    const auto lane = unsigned(std::countr_zero(left));
    const u32 first = a.get(lane), second = b.get(lane);
    a.set(lane, second);
    b.set(lane, first);
  }
}

/// Each lane of a row of 16 reads the lane that four bits of the two scalars name; `Across`: of the other row.
template <bool Across> void permuteRow(Wave &wave, const Instruction &instruction) {
  const VectorRegister source = wave.vector(instruction.operands[1].index);
  const u64 selectors =
      readScalar<u32>(wave, instruction.operands[2]) | u64(readScalar<u32>(wave, instruction.operands[3])) << 32;
  VectorRegister &target = wave.vector(instruction.operands[0].index);
  const bool fetchInactive = instruction.opSel & 1, boundControl = instruction.opSel & 2;
  for (u64 left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    const unsigned row = (lane & ~15u) ^ (Across ? 16 : 0), from = row + (selectors >> (lane & 15) * 4 & 15);
    if (fetchInactive || wave.exec() >> from & 1)
      target[lane] = source[from];
    else if (boundControl)
      target[lane] = 0;
  }
}

/// Two 32-bit values; op_sel chooses a half of each source.
void moveTwo(Wave &wave, const Instruction &instruction) {
  auto half = [&](unsigned source, bool high) {
    const Operand &operand = instruction.operands[1 + source];
    VectorRegister values;
    if (operand.kind == OperandKind::Vector)
      values = wave.vector(operand.index + high);
    else
      values.fill(operand.kind == OperandKind::Scalar ? wave.scalar(operand.index + high)
                                                      : u32(uniformBits<u32>(wave, operand)));
    return values;
  };
  const VectorRegister low = half(0, instruction.opSel & 1), high = half(1, instruction.opSel & 2);
  const unsigned target = instruction.operands[0].index;
  for (u64 left = wave.exec(); left; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    wave.vector(target)[lane] = low[lane];
    wave.vector(target + 1)[lane] = high[lane];
  }
}

/// Registers whose index M0 is added to.
template <bool Source, bool Destination> void moveRelative(Wave &wave, const Instruction &instruction) {
  const unsigned by = wave.scalar(M0);
  const Operand &from = instruction.operands[1];
  PerLane<u32> values;
  if (Source || from.kind == OperandKind::Vector)
    values = wave.vector(from.index + (Source ? by : 0));
  else
    values.fill(u32(uniformBits<u32>(wave, from)));
  VectorRegister &target = wave.vector(instruction.operands[0].index + (Destination ? by : 0));
  for (u64 left = wave.exec(); left; left &= left - 1)
    target[unsigned(std::countr_zero(left))] = values[unsigned(std::countr_zero(left))];
}

const Row rows[] = {
    {"v_mov_b32 v_accvgpr_read_b32 v_accvgpr_write_b32 v_accvgpr_mov_b32", lanes<[](u32 a) { return a; }>},
    {"v_mov_b64", lanes<[](u64 a) { return a; }>},
    {"v_cndmask_b32", lanes<[](u32 a, u32 b, LaneBit second) { return second.set ? b : a; }>},
    {"v_readlane_b32", {readLane}},
    {"v_readfirstlane_b32", {readFirstLane}},
    {"v_writelane_b32", {writeLane}},
    {"v_swap_b32", {swapRegisters}},
    {"v_swap_b16", {swapHalves}},
    {"v_movrels_b32", {moveRelative<true, false>}},
    {"v_movreld_b32", {moveRelative<false, true>}},
    {"v_movrelsd_b32", {moveRelative<true, true>}},
    {"v_permlane16_b32", {permuteRow<false>}},
    {"v_permlanex16_b32", {permuteRow<true>}},
    {"v_pk_mov_b32", {moveTwo}},
};

} // namespace

const Table vectorMove = rows;

} // namespace kiln::emulator
