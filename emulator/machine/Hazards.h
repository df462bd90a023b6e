// Checks the waits between two instructions that the hardware does not make by itself.
//
// The rules are those of "Manually Inserted Wait States" in AMD's manuals of the instruction sets. A rule names
// the least number of wait states between two instructions. Each instruction in between counts as one, s_nop N as N
// + 1. From gfx10 on the hardware waits by itself, with few exceptions.
#pragma once
#include "emulator/decode/Instruction.h"
#include "emulator/machine/Gpu.h"

namespace kiln::emulator {

class Hazards {
public:
  explicit Hazards(const Gpu &gpu) : gpu_(gpu) {}
  /// Called before each instruction. Throws a Fault if it comes too early after another one.
  void before(const Instruction &instruction) {
    if (gpu_.generation == 9)
      checkStates(instruction);
    else if (gpu_.generation == 11)
      checkTranscendentals(instruction);
  }

private:
  /// When something was written last: the number of wait states or instructions before it. 0: never.
  using Time = u32;
  static constexpr unsigned Vectors = 512, Scalars = 128, HardwareRegisters = 64;

  void checkStates(const Instruction &instruction);
  void checkVector(const Instruction &instruction);
  void checkWideStore(const Instruction &instruction) const;
  void note(const Instruction &instruction);
  void checkTranscendentals(const Instruction &instruction);
  /// Throws if fewer than `needed` wait states are between `written` and now.
  void require(Time written, unsigned needed, const Operand &operand, unsigned index, const char *rule) const;
  void requireScalars(const Instruction &instruction, unsigned needed, const char *rule) const;
  void requireVectors(const std::array<Time, Vectors> &written, const Operand &operand, unsigned needed,
                      const char *rule) const;

  const Gpu &gpu_;
  Time now_ = 1000;
  std::array<Time, Vectors> vectorsByVector_{};    // by a vector instruction
  std::array<Time, Vectors> transcendental_{};     // by a transcendental one
  std::array<Time, Vectors> moved_{};              // by one that changes the place of the result's bits
  std::array<Time, Scalars> scalarsByVector_{};    // by a vector instruction
  std::array<Time, HardwareRegisters> hardware_{}; // by s_setreg
  Time m0ByScalar_ = 0, execByVector_ = 0;
  Time wideStoreAt_ = 0; // a store of more than 64 bits from vector registers
  u16 wideStoreFirst_ = 0, wideStoreCount_ = 0;
  // For gfx11: how many vector and transcendental instructions were executed when a transcendental one wrote.
  struct Pending {
    u32 vectors = 0, transcendentals = 0;
    bool set = false;
  };
  u32 vectorCount_ = 0, transcendentalCount_ = 0;
  u32 drained_ = 0; // the vector instructions that are complete
  std::array<Pending, Vectors> pending_{};
};

} // namespace kiln::emulator
