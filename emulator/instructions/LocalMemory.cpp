// Loads and stores of local memory (DS), and the exchanges between lanes that use its wires.
#include "emulator/instructions/AllTables.h"
#include "emulator/instructions/MemoryAccess.h"

namespace kiln::emulator {
namespace {

enum class Half : u8 { Whole, Low, High }; // of the register that a load changes

template <unsigned Bytes, bool Signed = false, Half To = Half::Whole>
void load(Wave &wave, const Instruction &instruction) {
  const Addresses addresses(wave, instruction, Space::Local, 1, 0);
  const unsigned target = instruction.operands[0].index;
  forEachLane(wave, [&](unsigned lane) {
    u32 words[(Bytes + 3) / 4] = {};
    copyWord(words, access(wave, Space::Local, addresses.of(lane), Bytes, false, lane), Bytes);
    if (Signed)
      words[0] = signExtend<Bytes>(words[0]);
    for (unsigned i = 0; i < std::size(words); ++i) {
      u32 &to = wave.vector(target + i)[lane];
      to = To == Half::Low    ? (to & 0xffff0000) | (words[i] & 0xffff)
           : To == Half::High ? (to & 0xffff) | words[i] << 16
                              : words[i];
    }
  });
}
template <unsigned Bytes, bool FromHighHalf = false> void store(Wave &wave, const Instruction &instruction) {
  const Addresses addresses(wave, instruction, Space::Local, 0, 0);
  const unsigned data = instruction.operands[1].index;
  forEachLane(wave, [&](unsigned lane) {
    u32 words[(Bytes + 3) / 4];
    for (unsigned i = 0; i < std::size(words); ++i)
      words[i] = wave.vector(data + i)[lane] >> (FromHighHalf ? 16 : 0);
    copyWord(access(wave, Space::Local, addresses.of(lane), Bytes, true, lane), words, Bytes);
  });
}

/// Two elements at offset0 and offset1, which count elements, or with st64 64 elements.
template <unsigned Bytes, unsigned Unit> void loadTwo(Wave &wave, const Instruction &instruction) {
  const Addresses addresses(wave, instruction, Space::Local, 1, 0);
  const unsigned target = instruction.operands[0].index;
  forEachLane(wave, [&](unsigned lane) {
    u32 words[2][Bytes / 4];
    const u64 base = addresses.of(lane);
    for (unsigned which = 0; which < 2; ++which) {
      const u64 offset = u64(which ? instruction.offset1 : instruction.offset0) * Bytes * Unit;
      copyWord(words[which], access(wave, Space::Local, base + offset, Bytes, false, lane), Bytes);
    }
    for (unsigned which = 0; which < 2; ++which)
      for (unsigned i = 0; i < Bytes / 4; ++i)
        wave.vector(target + which * Bytes / 4 + i)[lane] = words[which][i];
  });
}
template <unsigned Bytes, unsigned Unit> void storeTwo(Wave &wave, const Instruction &instruction) {
  const Addresses addresses(wave, instruction, Space::Local, 0, 0);
  forEachLane(wave, [&](unsigned lane) {
    for (unsigned which = 0; which < 2; ++which) {
      const u64 offset = u64(which ? instruction.offset1 : instruction.offset0) * Bytes * Unit;
      u32 words[Bytes / 4];
      for (unsigned i = 0; i < Bytes / 4; ++i)
        words[i] = wave.vector(instruction.operands[1 + which].index + i)[lane];
      copyWord(access(wave, Space::Local, addresses.of(lane) + offset, Bytes, true, lane), words, Bytes);
    }
  });
}

/// Each lane reads the lane that its address (in bytes, four a lane) names. An inactive lane reads as 0.
void permuteBackward(Wave &wave, const Instruction &instruction) {
  const VectorRegister address = wave.vector(instruction.operands[1].index);
  const VectorRegister data = wave.vector(instruction.operands[2].index);
  const u64 exec = wave.exec();
  VectorRegister &target = wave.vector(instruction.operands[0].index);
  forEachLane(wave, [&](unsigned lane) {
    const unsigned from = (address[lane] + u32(instruction.offset)) / 4 % wave.lanes;
    target[lane] = exec >> from & 1 ? data[from] : 0;
  });
}
/// Each lane writes to the lane that its address names; the last writer wins, and the others get 0.
void permuteForward(Wave &wave, const Instruction &instruction) {
  const VectorRegister address = wave.vector(instruction.operands[1].index);
  const VectorRegister data = wave.vector(instruction.operands[2].index);
  VectorRegister result{};
  forEachLane(wave,
              [&](unsigned lane) { result[(address[lane] + u32(instruction.offset)) / 4 % wave.lanes] = data[lane]; });
  VectorRegister &target = wave.vector(instruction.operands[0].index);
  forEachLane(wave, [&](unsigned lane) { target[lane] = result[lane]; });
}

const Row rows[] = {
    {"ds_read_u8 ds_load_u8", {load<1>}},
    {"ds_read_i8 ds_load_i8", {load<1, true>}},
    {"ds_read_u16 ds_load_u16", {load<2>}},
    {"ds_read_i16 ds_load_i16", {load<2, true>}},
    {"ds_read_b32 ds_load_b32", {load<4>}},
    {"ds_read_b64 ds_load_b64", {load<8>}},
    {"ds_read_b96 ds_load_b96", {load<12>}},
    {"ds_read_b128 ds_load_b128", {load<16>}},
    {"ds_read_u8_d16 ds_load_u8_d16", {load<1, false, Half::Low>}},
    {"ds_read_u8_d16_hi ds_load_u8_d16_hi", {load<1, false, Half::High>}},
    {"ds_read_i8_d16 ds_load_i8_d16", {load<1, true, Half::Low>}},
    {"ds_read_i8_d16_hi ds_load_i8_d16_hi", {load<1, true, Half::High>}},
    {"ds_read_u16_d16 ds_load_u16_d16", {load<2, false, Half::Low>}},
    {"ds_read_u16_d16_hi ds_load_u16_d16_hi", {load<2, false, Half::High>}},
    {"ds_write_b8 ds_store_b8", {store<1>}},
    {"ds_write_b16 ds_store_b16", {store<2>}},
    {"ds_write_b8_d16_hi ds_store_b8_d16_hi", {store<1, true>}},
    {"ds_write_b16_d16_hi ds_store_b16_d16_hi", {store<2, true>}},
    {"ds_write_b32 ds_store_b32", {store<4>}},
    {"ds_write_b64 ds_store_b64", {store<8>}},
    {"ds_write_b96 ds_store_b96", {store<12>}},
    {"ds_write_b128 ds_store_b128", {store<16>}},
    {"ds_read2_b32 ds_load_2addr_b32", {loadTwo<4, 1>}},
    {"ds_read2_b64 ds_load_2addr_b64", {loadTwo<8, 1>}},
    {"ds_read2st64_b32 ds_load_2addr_stride64_b32", {loadTwo<4, 64>}},
    {"ds_read2st64_b64 ds_load_2addr_stride64_b64", {loadTwo<8, 64>}},
    {"ds_write2_b32 ds_store_2addr_b32", {storeTwo<4, 1>}},
    {"ds_write2_b64 ds_store_2addr_b64", {storeTwo<8, 1>}},
    {"ds_write2st64_b32 ds_store_2addr_stride64_b32", {storeTwo<4, 64>}},
    {"ds_write2st64_b64 ds_store_2addr_stride64_b64", {storeTwo<8, 64>}},
    {"ds_bpermute_b32", {permuteBackward}},
    {"ds_permute_b32", {permuteForward}},
};

} // namespace

const Table localMemory = rows;

} // namespace kiln::emulator
