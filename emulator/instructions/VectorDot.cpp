// Dot products of small integers in 32-bit registers, added to a third operand.
#include "emulator/instructions/AllTables.h"
#include "emulator/instructions/Bits.h"
#include "emulator/machine/Lanes.h"

namespace kiln::emulator {
namespace {

/// The sum of the products of elements of `Bits` bits.
template <unsigned Bits> i64 dot(u32 a, bool signedA, u32 b, bool signedB) {
  auto element = [](u32 word, unsigned at, bool isSigned) {
    return isSigned ? signedBitField(word, at, Bits) : i64(bitField(word, at, Bits));
  };
  i64 sum = 0;
  for (unsigned at = 0; at < 32; at += Bits)
    sum += element(a, at, signedA) * element(b, at, signedB);
  return sum;
}

/// neg_lo says which of the two sources is signed, and not that it is negated.
template <unsigned Bits> void runMixed(Wave &wave, const Instruction &instruction) {
  PerLane<u32> a, b;
  PerLane<i32> c;
  Instruction plain;
  fetch<u32>(wave, plain, instruction.operands[1], 0, nullptr, a);
  fetch<u32>(wave, plain, instruction.operands[2], 1, nullptr, b);
  fetch<i32>(wave, plain, instruction.operands[3], 2, nullptr, c);
  PerLane<Exact<i32>> results;
  for (unsigned lane = 0; lane < wave.lanes; ++lane)
    results[lane] = exact<i32>(dot<Bits>(a[lane], instruction.negLo & 1, b[lane], instruction.negLo & 2) + c[lane]);
  plain.clamp = instruction.clamp;
  store(wave, plain, instruction.operands[0], wave.exec(), results);
}

const Row rows[] = {
    {"v_dot4_u32_u8", lanes<[](u32 a, u32 b, u32 c) { return exact<u32>(dot<8>(a, false, b, false) + c); }>},
    {"v_dot4_i32_i8", lanes<[](u32 a, u32 b, i32 c) { return exact<i32>(dot<8>(a, true, b, true) + c); }>},
    {"v_dot4_i32_iu8", {runMixed<8>}},
    {"v_dot8_u32_u4", lanes<[](u32 a, u32 b, u32 c) { return exact<u32>(dot<4>(a, false, b, false) + c); }>},
    {"v_dot8_i32_i4", lanes<[](u32 a, u32 b, i32 c) { return exact<i32>(dot<4>(a, true, b, true) + c); }>},
    {"v_dot8_i32_iu4", {runMixed<4>}},
    {"v_dot4c_i32_i8", lanes<[](u32 a, u32 b, Old<i32> c) { return exact<i32>(dot<8>(a, true, b, true) + c.value); }>},
};

} // namespace

const Table vectorDot = rows;

} // namespace kiln::emulator
