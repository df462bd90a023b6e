// The state of a wave: registers, masks, mode, program counter. And of the group that it is in: local memory, barrier.
#pragma once
#include "emulator/decode/Instruction.h"
#include "emulator/loader/CodeObject.h"
#include "emulator/machine/AddressSpace.h"
#include "emulator/machine/Counts.h"
#include "emulator/machine/Definedness.h"
#include "emulator/machine/Fault.h"
#include "emulator/machine/Half.h"
#include "emulator/machine/Hazards.h"
#include "emulator/machine/Launch.h"
#include "emulator/machine/LocalAccesses.h"
#include "emulator/machine/Waits.h"
#include <array>
#include <cstring>
#include <vector>

namespace kiln::emulator {

struct Group {
  const Launch &launch;
  std::array<u32, 3> id{};
  std::vector<u8> local;
  std::vector<u8> localBits = {};                    // undefined bits (Definedness.h); empty without checks
  std::unique_ptr<Counter> counter = nullptr;        // null: nothing is counted
  std::unique_ptr<LocalAccesses> accesses = nullptr; // null: races are not checked
};

class Wave {
public:
  /// A wave whose registers have no particular contents.
  Wave(Group &group, unsigned index);
  /// Sets the registers as they are at the start of the kernel.
  void start();

  Group &group;
  const Gpu &gpu;
  const CodeObject *const code;
  const unsigned index; // in the group
  const unsigned lanes; // 32 or 64
  bool ended = false, atBarrier = false;
  bool signalled = false; // a barrier, from gfx12 on
  bool scc = false;
  u32 mode = 0;
  const Instruction *next = nullptr;    // the program counter
  const Instruction *barrier = nullptr; // where the wave waits or waited last

  // ---- scalar registers
  u32 scalar(unsigned index) const { return scalars_[index]; }
  u64 scalarPair(unsigned index) const { return scalars_[index] | u64(scalars_[index + 1]) << 32; }
  void setScalar(unsigned index, u32 value) { scalars_[index] = value; }
  void setScalarPair(unsigned index, u64 value) {
    scalars_[index] = u32(value);
    scalars_[index + 1] = u32(value >> 32);
  }
  /// A mask of lanes: one register in wave32, two in wave64.
  u64 mask(unsigned index) const { return lanes == 32 ? scalars_[index] : scalarPair(index); }
  void setMask(unsigned index, u64 value) {
    scalars_[index] = u32(value);
    if (lanes == 64)
      scalars_[index + 1] = u32(value >> 32);
  }
  u64 exec() const { return mask(Exec); }
  u64 vcc() const { return mask(Vcc); }

  // ---- vector registers
  VectorRegister &vector(unsigned index);
  const VectorRegister &vector(unsigned index) const { return const_cast<Wave *>(this)->vector(index); }

  /// What s_set_gpr_idx_on adds to the index of source `number` (0 to 2) or of the destination (3).
  unsigned indexOffset(unsigned number) const {
    return mode & IndexingEnabled && scalars_[M0] >> (12 + number) & 1 ? scalars_[M0] & 0xff : 0;
  }
  static constexpr u32 IndexingEnabled = 1 << 27; // in MODE

  // ---- memory
  /// The host's address of device memory. Throws a Fault if it is in no allocation.
  u8 *memory(u64 address, unsigned bytes, bool write, int lane = -1);
  u8 *localMemory(u32 offset, unsigned bytes, bool write, int lane);
  u8 *scratchMemory(u32 offset, unsigned bytes, bool write, int lane);
  /// Memory, local memory or scratch memory, by the aperture of the address.
  u8 *flatMemory(u64 address, unsigned bytes, bool write, int lane);

  // ---- MODE
  Rounding rounding(bool single) const { return Rounding(mode >> (single ? 0 : 2) & 3); }
  /// Denormals of operands or results are zero.
  bool flushesInput(bool single) const { return !(mode >> (single ? 4 : 6) & 1); }
  bool flushesOutput(bool single) const { return !(mode >> (single ? 5 : 7) & 1); }
  bool dx10Clamp() const { return gpu.generation >= 12 || mode >> 8 & 1; }
  bool ieee() const { return gpu.generation < 12 && mode >> 9 & 1; }

  /// Continues at the address. Throws a Fault if no instruction starts there.
  void jump(u64 address);
  /// Executes up to `count` instructions, until the wave ends or waits at a barrier. Throws Faults with the place.
  void run(u64 count);
  /// Returns the fault with the kernel, the group, the wave and the instruction in front of its text.
  Fault located(const Fault &fault, const Instruction &instruction) const;
  /// Local memory operations that have no wait yet (LocalAccesses.h).
  const Waits &waits() const { return waits_; }

private:
  [[noreturn]] void unreadable(u64 address, unsigned bytes, bool write, int lane, const Range *near) const;

  std::array<u32, 128> scalars_{};
  std::vector<VectorRegister> vectors_;
  std::vector<VectorRegister> accumulators_;
  std::vector<u8> scratch_; // of all lanes, one after the other
  u32 scratchBytes_ = 0;    // of a lane
  Range recent_;            // the last range found
  Waits waits_;
  Hazards hazards_;
  std::unique_ptr<Definedness> definedness_; // null: not checked
  const Instruction *current_ = nullptr;
};

} // namespace kiln::emulator
