// Addresses and data of memory instructions, for loads, stores and atomic operations of all memories.
#pragma once
#include "emulator/machine/Fault.h"
#include "emulator/machine/Operands.h"

namespace kiln::emulator {

enum class Space : u8 { Global, Flat, Scratch, Local, Buffer };

/// The addresses of a vector memory instruction, whose operands are a vector and, in global and scratch memory, a
/// scalar:
///   global  v[0:1], off          a 64-bit address in each lane
///           v0, s[0:1]           a 64-bit base and a 32-bit offset in each lane
///   flat    v[0:1]
///   scratch v0, off | off, s0 | v0, s0 | off, off
///   local   v0                   offset in local memory
///   buffer  off, s[0:3], s32     scratch memory of processors before gfx940 and gfx11: the scalar counts the bytes of
///           v0, s[0:3], s32      the whole wave
class Addresses {
public:
  /// `vectorAt`, `scalarAt`: the places of the two among the operands.
  Addresses(const Wave &wave, const Instruction &instruction, Space space, unsigned vectorAt, unsigned scalarAt)
      : space_(space), constant_(u64(i64(instruction.offset))) {
    const Operand &vector = instruction.operands[vectorAt], &scalar = instruction.operands[scalarAt];
    if (vector.kind == OperandKind::Vector)
      low_ = &wave.vector(vector.index);
    else if (vector.kind != OperandKind::Off || (space != Space::Scratch && space != Space::Buffer))
      throw Fault(FaultKind::IllegalInstruction, "the address is not a vector register");
    if (vector.count == 2)
      high_ = &wave.vector(vector.index + 1);
    if (space == Space::Local || space == Space::Flat)
      return;
    if (space == Space::Buffer) {
      const Operand &buffer = instruction.operands[scalarAt - 1];
      if (buffer.kind != OperandKind::Scalar || wave.scalar(buffer.index + 3) != ScratchBuffer)
        throw Fault(FaultKind::IllegalInstruction, "the emulator has no buffer except that of scratch memory");
      constant_ += readScalar<u32>(wave, scalar) / wave.lanes;
      return;
    }
    if (scalar.kind == OperandKind::Scalar)
      constant_ += space == Space::Global ? wave.scalarPair(scalar.index) : u64(i64(i32(wave.scalar(scalar.index))));
    else if (scalar.kind != OperandKind::Off && scalar.kind != OperandKind::Null)
      throw Fault(FaultKind::IllegalInstruction, "the address has no scalar part");
  }

  u64 of(unsigned lane) const {
    u64 address = constant_;
    if (low_)
      address += high_                      ? (*low_)[lane] | u64((*high_)[lane]) << 32
                 : space_ == Space::Scratch ? u64(i64(i32((*low_)[lane])))
                                            : u64((*low_)[lane]);
    return space_ == Space::Global || space_ == Space::Flat ? address : u32(address);
  }

private:
  const Space space_;
  u64 constant_;
  const VectorRegister *low_ = nullptr, *high_ = nullptr;
};

/// The host's memory of a lane's access.
inline u8 *access(Wave &wave, Space space, u64 address, unsigned bytes, bool write, unsigned lane) {
  switch (space) {
  case Space::Global:
    return wave.memory(address, bytes, write, int(lane));
  case Space::Flat:
    return wave.flatMemory(address, bytes, write, int(lane));
  case Space::Scratch:
  case Space::Buffer:
    return wave.scratchMemory(u32(address), bytes, write, int(lane));
  case Space::Local:
    return wave.localMemory(u32(address), bytes, write, int(lane));
  }
  return nullptr;
}

/// A copy that other threads see as a whole, if the size and the address allow: devices read and write words.
inline void copyWord(void *to, const void *from, unsigned bytes) {
  auto aligned = [&](unsigned size) { return (u64(to) | u64(from)) % size == 0; };
  if (bytes == 4 && aligned(4))
    __atomic_store_n(static_cast<u32 *>(to), __atomic_load_n(static_cast<const u32 *>(from), __ATOMIC_RELAXED),
                     __ATOMIC_RELAXED);
  else if (bytes == 8 && aligned(8))
    __atomic_store_n(static_cast<u64 *>(to), __atomic_load_n(static_cast<const u64 *>(from), __ATOMIC_RELAXED),
                     __ATOMIC_RELAXED);
  else
    std::memcpy(to, from, bytes);
}

/// A value of `Bytes` bytes as 32 bits.
template <unsigned Bytes> u32 signExtend(u32 value) {
  return Bytes == 1 ? u32(i32(i8(value))) : Bytes == 2 ? u32(i32(i16(value))) : value;
}

/// Calls `body(lane)` for each active lane.
template <typename Body> void forEachLane(const Wave &wave, Body body) {
  for (u64 left = wave.exec(); left; left &= left - 1)
    body(unsigned(std::countr_zero(left)));
}

} // namespace kiln::emulator
