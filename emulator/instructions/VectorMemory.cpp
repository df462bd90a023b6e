// Loads and stores of vector registers in global, flat and scratch memory. A row names the suffix of the mnemonics:
// "dword b32" is global_load_dword, flat_load_b32 and so on; gfx11 renamed them.
#include "emulator/instructions/AllTables.h"
#include "emulator/instructions/MemoryAccess.h"

namespace kiln::emulator {
namespace {

/// What a load does with the bytes.
enum class Extend : u8 { Zero, Sign, LowHalf, LowHalfSigned, HighHalf, HighHalfSigned };

template <Space In, unsigned Bytes, Extend How> void load(Wave &wave, const Instruction &instruction) {
  const Addresses addresses(wave, instruction, In, 1, In == Space::Buffer ? 3 : 2);
  const unsigned target = instruction.operands[0].index;
  constexpr unsigned Words = (Bytes + 3) / 4;
  u32 results[Words][MaxLanes]; // the destination may be the address
  forEachLane(wave, [&](unsigned lane) {
    u32 words[Words] = {};
    copyWord(words, access(wave, In, addresses.of(lane), Bytes, false, lane), Bytes);
    for (unsigned i = 0; i < Words; ++i)
      results[i][lane] = words[i];
  });
  forEachLane(wave, [&](unsigned lane) {
    for (unsigned i = 0; i < Words; ++i) {
      u32 &to = wave.vector(target + i)[lane];
      u32 value = results[i][lane];
      if (How == Extend::Sign || How == Extend::LowHalfSigned || How == Extend::HighHalfSigned)
        value = signExtend<Bytes>(value);
      if (How == Extend::LowHalf || How == Extend::LowHalfSigned)
        value = (to & 0xffff0000) | (value & 0xffff);
      if (How == Extend::HighHalf || How == Extend::HighHalfSigned)
        value = (to & 0xffff) | value << 16;
      to = value;
    }
  });
}

template <Space In, unsigned Bytes, bool FromHighHalf = false> void store(Wave &wave, const Instruction &instruction) {
  constexpr bool IsBuffer = In == Space::Buffer; // its data come first
  const Addresses addresses(wave, instruction, In, IsBuffer ? 1 : 0, IsBuffer ? 3 : 2);
  const Operand &data = instruction.operands[IsBuffer ? 0 : 1];
  constexpr unsigned Words = (Bytes + 3) / 4;
  forEachLane(wave, [&](unsigned lane) {
    u32 words[Words];
    for (unsigned i = 0; i < Words; ++i)
      words[i] = wave.vector(data.index + i)[lane] >> (FromHighHalf ? 16 : 0);
    copyWord(access(wave, In, addresses.of(lane), Bytes, true, lane), words, Bytes);
  });
}

#define LOADS(space, prefix)                                                                                           \
  {prefix "_load_ubyte " prefix "_load_u8", {load<space, 1, Extend::Zero>}},                                           \
      {prefix "_load_sbyte " prefix "_load_i8", {load<space, 1, Extend::Sign>}},                                       \
      {prefix "_load_ushort " prefix "_load_u16", {load<space, 2, Extend::Zero>}},                                     \
      {prefix "_load_sshort " prefix "_load_i16", {load<space, 2, Extend::Sign>}},                                     \
      {prefix "_load_dword " prefix "_load_b32", {load<space, 4, Extend::Zero>}},                                      \
      {prefix "_load_dwordx2 " prefix "_load_b64", {load<space, 8, Extend::Zero>}},                                    \
      {prefix "_load_dwordx3 " prefix "_load_b96", {load<space, 12, Extend::Zero>}},                                   \
      {prefix "_load_dwordx4 " prefix "_load_b128", {load<space, 16, Extend::Zero>}},                                  \
      {prefix "_load_ubyte_d16 " prefix "_load_d16_u8", {load<space, 1, Extend::LowHalf>}},                            \
      {prefix "_load_sbyte_d16 " prefix "_load_d16_i8", {load<space, 1, Extend::LowHalfSigned>}},                      \
      {prefix "_load_short_d16 " prefix "_load_d16_b16", {load<space, 2, Extend::LowHalf>}},                           \
      {prefix "_load_ubyte_d16_hi " prefix "_load_d16_hi_u8", {load<space, 1, Extend::HighHalf>}},                     \
      {prefix "_load_sbyte_d16_hi " prefix "_load_d16_hi_i8", {load<space, 1, Extend::HighHalfSigned>}}, {             \
    prefix "_load_short_d16_hi " prefix "_load_d16_hi_b16", { load<space, 2, Extend::HighHalf> }                       \
  }
#define STORES(space, prefix)                                                                                          \
  {prefix "_store_byte " prefix "_store_b8", {store<space, 1>}},                                                       \
      {prefix "_store_short " prefix "_store_b16", {store<space, 2>}},                                                 \
      {prefix "_store_dword " prefix "_store_b32", {store<space, 4>}},                                                 \
      {prefix "_store_dwordx2 " prefix "_store_b64", {store<space, 8>}},                                               \
      {prefix "_store_dwordx3 " prefix "_store_b96", {store<space, 12>}},                                              \
      {prefix "_store_dwordx4 " prefix "_store_b128", {store<space, 16>}},                                             \
      {prefix "_store_byte_d16_hi " prefix "_store_d16_hi_b8", {store<space, 1, true>}}, {                             \
    prefix "_store_short_d16_hi " prefix "_store_d16_hi_b16", { store<space, 2, true> }                                \
  }

const Row rows[] = {
    LOADS(Space::Global, "global"), STORES(Space::Global, "global"),  LOADS(Space::Flat, "flat"),
    STORES(Space::Flat, "flat"),    LOADS(Space::Scratch, "scratch"), STORES(Space::Scratch, "scratch"),
    LOADS(Space::Buffer, "buffer"), STORES(Space::Buffer, "buffer"),
};

} // namespace

const Table vectorMemory = rows;

} // namespace kiln::emulator
