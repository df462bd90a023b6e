// Finds races in local memory: accesses of two waves to a byte, one of them a write, without a barrier in between at
// which the write was complete.
//
// Waves may also order their accesses by atomic operations, so a group is not checked from an atomic operation until
// the next barrier. Atomic loads and stores are plain instructions, and are reported like others. So the check is off
// unless KILN_EMULATOR_RACES is set.
#pragma once
#include "emulator/decode/Instruction.h"
#include <vector>

namespace kiln::emulator {

class Wave;

class LocalAccesses {
public:
  LocalAccesses(size_t bytes, size_t waves) : bytes_(bytes), waves_(waves) {}
  /// Called for each access of a lane. Throws a Fault if it is a race.
  void access(const Wave &wave, const Instruction &instruction, u32 offset, unsigned bytes, bool write, int lane);
  /// Called when a wave comes to a barrier, and when all waves leave it.
  void arrive(const Wave &wave);
  void leave();

private:
  static constexpr u8 None = 0xff, Several = 0xfe;
  struct Byte {
    u8 writer = None, reader = None; // waves; the reader since the last barrier
    u32 written = 0;                 // the writer's count of accesses then
    u32 round = 0;                   // of the reader
  };
  struct PerWave {
    u32 accesses = 0;             // so far
    u32 complete = 0;             // those before the last moment without outstanding stores
    u32 arrived = 0, ordered = 0; // those that are complete at the barrier where the wave is, and at the last one
  };
  std::vector<Byte> bytes_;
  std::vector<PerWave> waves_;
  u32 round_ = 1; // the number of the barrier
  bool atomic_ = false;
};

} // namespace kiln::emulator
