// Loads to scalar registers (SMEM). The address is a register pair, a register's or a constant's offset, and `offset:`.
#include "emulator/instructions/AllTables.h"
#include "emulator/machine/Operands.h"

namespace kiln::emulator {
namespace {

/// `Bytes` and how a smaller value is extended.
template <unsigned Bytes, bool Signed = false> void load(Wave &wave, const Instruction &instruction) {
  const Operand &destination = instruction.operands[0], &base = instruction.operands[1];
  u64 address = wave.scalarPair(base.index) + u64(i64(instruction.offset));
  if (const Operand &offset = instruction.operands[2]; offset.kind == OperandKind::Integer)
    address += u64(offset.integer);
  else if (offset.kind != OperandKind::Null)
    address += readScalar<u32>(wave, offset);
  if constexpr (Bytes >= 4)
    address &= ~u64(3);
  u32 words[Bytes < 4 ? 1 : Bytes / 4] = {};
  std::memcpy(words, wave.memory(address, Bytes, false), Bytes);
  if constexpr (Signed)
    words[0] = Bytes == 1 ? u32(i8(words[0])) : u32(i16(words[0]));
  if (destination.kind == OperandKind::Null)
    return;
  for (unsigned i = 0; i < std::size(words); ++i)
    wave.setScalar(destination.index + i, words[i]);
}

const Row rows[] = {
    {"s_load_dword s_load_b32", {load<4>}},
    {"s_load_dwordx2 s_load_b64", {load<8>}},
    {"s_load_b96", {load<12>}},
    {"s_load_dwordx4 s_load_b128", {load<16>}},
    {"s_load_dwordx8 s_load_b256", {load<32>}},
    {"s_load_dwordx16 s_load_b512", {load<64>}},
    {"s_load_u8", {load<1>}},
    {"s_load_i8", {load<1, true>}},
    {"s_load_u16", {load<2>}},
    {"s_load_i16", {load<2, true>}},
};

} // namespace

const Table scalarMemory = rows;

} // namespace kiln::emulator
