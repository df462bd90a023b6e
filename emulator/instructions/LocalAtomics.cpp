// Atomic operations on local memory. The names with rtn return the old value.
#include "emulator/instructions/AllTables.h"
#include "emulator/instructions/AtomicOperations.h"

namespace kiln::emulator {
namespace {

/// ds_cmpst has the value to compare with first, ds_cmpstore (gfx11 and later) the new value.
template <typename T, bool NewFirst> void compareStore(Wave &wave, const Instruction &instruction) {
  const bool returns = instruction.operandCount == 4;
  const AtomicLayout at(returns);
  const Addresses addresses(wave, instruction, Space::Local, at.address, 0);
  const Operand &first = instruction.operands[at.data], &second = instruction.operands[at.data + 1];
  forEachLane(wave, [&](unsigned lane) {
    u8 *memory = access(wave, Space::Local, addresses.of(lane), sizeof(T), true, lane);
    const T before = compareAndSwap<T>(memory, readData<T>(wave, NewFirst ? second : first, lane),
                                       readData<T>(wave, NewFirst ? first : second, lane));
    if (returns)
      writeData<T>(wave, instruction.operands[0], lane, before);
  });
}

#define ATOMIC(name, returning, function, type, ...)                                                                   \
  {                                                                                                                    \
    "ds_" name " ds_" returning, { runAtomic<Space::Local, atomic::function, type> __VA_OPT__(, ) __VA_ARGS__ }        \
  }
#define ATOMIC_INTEGER(name, suffix, function, type) ATOMIC(name suffix, name "_rtn" suffix, function, type)

const Row rows[] = {
    ATOMIC_INTEGER("add", "_u32", add, u32),
    ATOMIC_INTEGER("add", "_u64", add, u64),
    ATOMIC_INTEGER("sub", "_u32", subtract, u32),
    ATOMIC_INTEGER("sub", "_u64", subtract, u64),
    ATOMIC_INTEGER("rsub", "_u32", reverseSubtract, u32),
    ATOMIC_INTEGER("rsub", "_u64", reverseSubtract, u64),
    ATOMIC_INTEGER("inc", "_u32", increment, u32),
    ATOMIC_INTEGER("inc", "_u64", increment, u64),
    ATOMIC_INTEGER("dec", "_u32", decrement, u32),
    ATOMIC_INTEGER("dec", "_u64", decrement, u64),
    ATOMIC_INTEGER("min", "_i32", least, i32),
    ATOMIC_INTEGER("min", "_i64", least, i64),
    ATOMIC_INTEGER("min", "_u32", least, u32),
    ATOMIC_INTEGER("min", "_u64", least, u64),
    ATOMIC_INTEGER("max", "_i32", most, i32),
    ATOMIC_INTEGER("max", "_i64", most, i64),
    ATOMIC_INTEGER("max", "_u32", most, u32),
    ATOMIC_INTEGER("max", "_u64", most, u64),
    ATOMIC_INTEGER("and", "_b32", bitAnd, u32),
    ATOMIC_INTEGER("and", "_b64", bitAnd, u64),
    ATOMIC_INTEGER("or", "_b32", bitOr, u32),
    ATOMIC_INTEGER("or", "_b64", bitOr, u64),
    ATOMIC_INTEGER("xor", "_b32", bitXor, u32),
    ATOMIC_INTEGER("xor", "_b64", bitXor, u64),
    ATOMIC("add_f32", "add_rtn_f32", addFloat, f32, FloatMode::Single),
    ATOMIC("add_f64", "add_rtn_f64", addFloat, f64, FloatMode::HalfOrDouble),
    ATOMIC("min_f32", "min_rtn_f32", leastFloat, f32, FloatMode::Single),
    ATOMIC("max_f32", "max_rtn_f32", mostFloat, f32, FloatMode::Single),
    ATOMIC("min_num_f32", "min_num_rtn_f32", leastFloat, f32, FloatMode::Single),
    ATOMIC("max_num_f32", "max_num_rtn_f32", mostFloat, f32, FloatMode::Single),
    ATOMIC("min_num_f64", "min_num_rtn_f64", leastFloat, f64, FloatMode::HalfOrDouble),
    ATOMIC("max_num_f64", "max_num_rtn_f64", mostFloat, f64, FloatMode::HalfOrDouble),
    ATOMIC("min_f64", "min_rtn_f64", leastFloat, f64, FloatMode::HalfOrDouble),
    ATOMIC("max_f64", "max_rtn_f64", mostFloat, f64, FloatMode::HalfOrDouble),
    {"ds_wrxchg_rtn_b32 ds_storexchg_rtn_b32", {runAtomic<Space::Local, atomic::swap, u32>}},
    {"ds_wrxchg_rtn_b64 ds_storexchg_rtn_b64", {runAtomic<Space::Local, atomic::swap, u64>}},
    {"ds_cmpst_b32 ds_cmpst_rtn_b32", {compareStore<u32, false>}},
    {"ds_cmpst_b64 ds_cmpst_rtn_b64", {compareStore<u64, false>}},
    {"ds_cmpstore_b32 ds_cmpstore_rtn_b32", {compareStore<u32, true>}},
    {"ds_cmpstore_b64 ds_cmpstore_rtn_b64", {compareStore<u64, true>}},
};

} // namespace

const Table localAtomics = rows;

} // namespace kiln::emulator
