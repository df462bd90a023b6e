// The operations of atomic instructions, as functions of the old value and the operand. Memory is the host's, so they
// are the host's atomic operations: other waves, other devices and the host see them as such.
#pragma once
#include "emulator/instructions/Floats.h"
#include "emulator/instructions/MemoryAccess.h"

namespace kiln::emulator {

/// The bits of a value that an atomic operation works on.
template <typename T> using AtomicBits = std::conditional_t<sizeof(T) == 8, u64, u32>;

/// Replaces the value by Function(old, operand), and returns the old one.
template <auto Function, typename T> T atomically(u8 *memory, T operand) {
  using Bits = AtomicBits<T>;
  if (u64(memory) % sizeof(Bits))
    throw Fault(FaultKind::IllegalAddress, "an atomic operation at an address that is not a multiple of ",
                sizeof(Bits));
  auto *word = reinterpret_cast<Bits *>(memory);
  Bits before = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &before, std::bit_cast<Bits>(Function(std::bit_cast<T>(before), operand)),
                                      true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
    ;
  return std::bit_cast<T>(before);
}

/// Stores `desired` if the value is `expected`; returns the old value.
template <typename T> T compareAndSwap(u8 *memory, T expected, T desired) {
  if (u64(memory) % sizeof(T))
    throw Fault(FaultKind::IllegalAddress, "an atomic operation at an address that is not a multiple of ", sizeof(T));
  __atomic_compare_exchange_n(reinterpret_cast<T *>(memory), &expected, desired, false, __ATOMIC_SEQ_CST,
                              __ATOMIC_SEQ_CST);
  return expected;
}

namespace atomic {
constexpr auto swap = [](auto, auto operand) { return operand; };
constexpr auto add = [](auto old, auto operand) { return decltype(old)(old + operand); };
constexpr auto subtract = [](auto old, auto operand) { return decltype(old)(old - operand); };
constexpr auto reverseSubtract = [](auto old, auto operand) { return decltype(old)(operand - old); };
constexpr auto least = [](auto old, auto operand) { return operand < old ? operand : old; };
constexpr auto most = [](auto old, auto operand) { return operand > old ? operand : old; };
constexpr auto bitAnd = [](auto old, auto operand) { return old & operand; };
constexpr auto bitOr = [](auto old, auto operand) { return old | operand; };
constexpr auto bitXor = [](auto old, auto operand) { return old ^ operand; };
/// Counts up to the operand and starts again at 0; counts down to 0 and starts again at the operand.
constexpr auto increment = [](auto old, auto operand) {
  return old >= operand ? decltype(old)(0) : decltype(old)(old + 1);
};
constexpr auto decrement = [](auto old, auto operand) {
  return old == 0 || old > operand ? operand : decltype(old)(old - 1);
};
constexpr auto addFloat = [](auto old, auto operand) { return old + operand; };
constexpr auto leastFloat = [](auto old, auto operand) { return minimum(old, operand, false); };
constexpr auto mostFloat = [](auto old, auto operand) { return maximum(old, operand, false); };
} // namespace atomic

template <typename T> T readData(const Wave &wave, const Operand &operand, unsigned lane) {
  u64 bits = wave.vector(operand.index)[lane];
  if constexpr (sizeof(T) == 8)
    bits |= u64(wave.vector(operand.index + 1)[lane]) << 32;
  return fromBits<T>(bits);
}
template <typename T> void writeData(Wave &wave, const Operand &operand, unsigned lane, T value) {
  const u64 bits = toBits(value);
  wave.vector(operand.index)[lane] = u32(bits);
  if constexpr (sizeof(T) == 8)
    wave.vector(operand.index + 1)[lane] = u32(bits >> 32);
}

/// The destination of an atomic operation, if it returns the old value, is operand 0, and the others follow.
struct AtomicLayout {
  unsigned address, data, scalar;
  explicit AtomicLayout(bool returns) : address(returns), data(returns + 1u), scalar(returns + 2u) {}
};

template <Space In, auto Function, typename T> void runAtomic(Wave &wave, const Instruction &instruction) {
  const bool returns = In == Space::Local ? instruction.operandCount == 3 : instruction.returns;
  const AtomicLayout at(returns);
  const Addresses addresses(wave, instruction, In, at.address, at.scalar);
  forEachLane(wave, [&](unsigned lane) {
    u8 *memory = access(wave, In, addresses.of(lane), sizeof(T), true, lane);
    const T before = atomically<Function>(memory, readData<T>(wave, instruction.operands[at.data], lane));
    if (returns)
      writeData<T>(wave, instruction.operands[0], lane, before);
  });
}

} // namespace kiln::emulator
