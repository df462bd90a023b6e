// Atomic operations on global and flat memory. sc0 or glc (returns) makes an operation return the old value.
#include "emulator/instructions/AllTables.h"
#include "emulator/instructions/AtomicOperations.h"

namespace kiln::emulator {
namespace {

/// The data are the new value and, in the registers after it, the value to compare with.
template <Space In, typename T> void compareSwap(Wave &wave, const Instruction &instruction) {
  const AtomicLayout at(instruction.returns);
  const Addresses addresses(wave, instruction, In, at.address, at.scalar);
  Operand desired = instruction.operands[at.data], expected = desired;
  expected.index = u16(expected.index + sizeof(T) / 4);
  forEachLane(wave, [&](unsigned lane) {
    u8 *memory = access(wave, In, addresses.of(lane), sizeof(T), true, lane);
    const T before = compareAndSwap<T>(memory, readData<T>(wave, expected, lane), readData<T>(wave, desired, lane));
    if (instruction.returns)
      writeData<T>(wave, instruction.operands[0], lane, before);
  });
}

#define ATOMICS(space, prefix)                                                                                         \
  {prefix "_atomic_swap " prefix "_atomic_swap_b32", {runAtomic<space, atomic::swap, u32>}},                           \
      {prefix "_atomic_swap_x2 " prefix "_atomic_swap_b64", {runAtomic<space, atomic::swap, u64>}},                    \
      {prefix "_atomic_cmpswap " prefix "_atomic_cmpswap_b32", {compareSwap<space, u32>}},                             \
      {prefix "_atomic_cmpswap_x2 " prefix "_atomic_cmpswap_b64", {compareSwap<space, u64>}},                          \
      {prefix "_atomic_add " prefix "_atomic_add_u32", {runAtomic<space, atomic::add, u32>}},                          \
      {prefix "_atomic_add_x2 " prefix "_atomic_add_u64", {runAtomic<space, atomic::add, u64>}},                       \
      {prefix "_atomic_sub " prefix "_atomic_sub_u32", {runAtomic<space, atomic::subtract, u32>}},                     \
      {prefix "_atomic_sub_x2 " prefix "_atomic_sub_u64", {runAtomic<space, atomic::subtract, u64>}},                  \
      {prefix "_atomic_smin " prefix "_atomic_min_i32", {runAtomic<space, atomic::least, i32>}},                       \
      {prefix "_atomic_smin_x2 " prefix "_atomic_min_i64", {runAtomic<space, atomic::least, i64>}},                    \
      {prefix "_atomic_umin " prefix "_atomic_min_u32", {runAtomic<space, atomic::least, u32>}},                       \
      {prefix "_atomic_umin_x2 " prefix "_atomic_min_u64", {runAtomic<space, atomic::least, u64>}},                    \
      {prefix "_atomic_smax " prefix "_atomic_max_i32", {runAtomic<space, atomic::most, i32>}},                        \
      {prefix "_atomic_smax_x2 " prefix "_atomic_max_i64", {runAtomic<space, atomic::most, i64>}},                     \
      {prefix "_atomic_umax " prefix "_atomic_max_u32", {runAtomic<space, atomic::most, u32>}},                        \
      {prefix "_atomic_umax_x2 " prefix "_atomic_max_u64", {runAtomic<space, atomic::most, u64>}},                     \
      {prefix "_atomic_and " prefix "_atomic_and_b32", {runAtomic<space, atomic::bitAnd, u32>}},                       \
      {prefix "_atomic_and_x2 " prefix "_atomic_and_b64", {runAtomic<space, atomic::bitAnd, u64>}},                    \
      {prefix "_atomic_or " prefix "_atomic_or_b32", {runAtomic<space, atomic::bitOr, u32>}},                          \
      {prefix "_atomic_or_x2 " prefix "_atomic_or_b64", {runAtomic<space, atomic::bitOr, u64>}},                       \
      {prefix "_atomic_xor " prefix "_atomic_xor_b32", {runAtomic<space, atomic::bitXor, u32>}},                       \
      {prefix "_atomic_xor_x2 " prefix "_atomic_xor_b64", {runAtomic<space, atomic::bitXor, u64>}},                    \
      {prefix "_atomic_inc " prefix "_atomic_inc_u32", {runAtomic<space, atomic::increment, u32>}},                    \
      {prefix "_atomic_inc_x2 " prefix "_atomic_inc_u64", {runAtomic<space, atomic::increment, u64>}},                 \
      {prefix "_atomic_dec " prefix "_atomic_dec_u32", {runAtomic<space, atomic::decrement, u32>}},                    \
      {prefix "_atomic_dec_x2 " prefix "_atomic_dec_u64", {runAtomic<space, atomic::decrement, u64>}},                 \
      {prefix "_atomic_add_f32", {runAtomic<space, atomic::addFloat, f32>, FloatMode::Single}},                        \
      {prefix "_atomic_add_f64", {runAtomic<space, atomic::addFloat, f64>, FloatMode::HalfOrDouble}},                  \
      {prefix "_atomic_min_f64", {runAtomic<space, atomic::leastFloat, f64>, FloatMode::HalfOrDouble}},                \
      {prefix "_atomic_max_f64", {runAtomic<space, atomic::mostFloat, f64>, FloatMode::HalfOrDouble}},                 \
      {prefix "_atomic_fmin " prefix "_atomic_min_f32 " prefix "_atomic_min_num_f32",                                  \
       {runAtomic<space, atomic::leastFloat, f32>, FloatMode::Single}},                                                \
  {                                                                                                                    \
    prefix "_atomic_fmax " prefix "_atomic_max_f32 " prefix "_atomic_max_num_f32", {                                   \
      runAtomic<space, atomic::mostFloat, f32>, FloatMode::Single                                                      \
    }                                                                                                                  \
  }

const Row rows[] = {ATOMICS(Space::Global, "global"), ATOMICS(Space::Flat, "flat")};

} // namespace

const Table globalAtomics = rows;

} // namespace kiln::emulator
