// Finds results of registers and memory that a kernel has not initialised.
//
// Each bit of a register, of local memory and of scratch memory is defined or not. Copies, spills and arithmetic of
// undefined bits are no error, because compilers emit them (a lane that is masked later, a register that is saved). An
// error is an undefined bit that decides something:
//
//   * an address, or the operand of an atomic operation
//   * EXEC, a branch, a jump, MODE
//   * all bits that a lane stores to global memory at once
//
// An instruction with undefined sources is executed several times with different fillings of the undefined bits. The
// bits of its results that differ are undefined. Therefore the check has no rule for single instructions: x & 0 is 0
// with every filling, and a half of a register that an instruction does not write keeps its state. An instruction
// without undefined sources is executed once.
#pragma once
#include "emulator/decode/Instruction.h"
#include <vector>

namespace kiln::emulator {

class Wave;
inline constexpr unsigned MaxLanes = 64;
using VectorRegister = std::array<u32, MaxLanes>;

class Definedness {
public:
  /// `vectors` counts vector and accumulation registers. Everything is undefined.
  Definedness(unsigned lanes, unsigned scalars, unsigned vectors, unsigned accumulators, size_t scratchBytes);
  void defineScalars(unsigned first, unsigned count) { std::fill_n(scalars_.begin() + first, count, 0); }
  /// Of a vector register, all lanes.
  void defineVector(unsigned index) { *lanesOf(index) = 0; }

  /// Executes the instruction. Throws a Fault if something undefined decides what it does.
  void execute(Wave &wave, const Instruction &instruction);

  // ---- called by the wave for each access of a lane

  /// While an instruction is executed on the undefined bits, its accesses go to those of memory.
  bool isShadowing() const { return shadowing_; }
  u8 *scratchBits(size_t at) { return scratch_.data() + at; }
  /// The bits of global memory: always defined. Remembers what a store writes.
  u8 *globalBits(int lane, unsigned bytes);
  /// Records an access to memory whose bits are at `bits`.
  void access(u8 *bits, unsigned bytes, bool write, int lane);

private:
  struct Touched {
    u16 index;
    VectorRegister before, after, differences;
  };
  struct TouchedScalar {
    u16 index;
    u32 before, after, differences;
  };
  struct GlobalStore {
    int lane;
    unsigned bytes;
    std::array<u8, 16> bits;
  };
  /// Null if the kernel does not have the register.
  u64 *lanesOf(unsigned index);
  u32 bitsOf(unsigned index, unsigned lane) { return *lanesOf(index) >> lane & 1 ? bits_[slot(index)][lane] : 0; }
  unsigned slot(unsigned index) const { return index < FirstAccumulator ? index : index - FirstAccumulator + vectors_; }
  void setBits(unsigned index, const VectorRegister &bits, u64 lanes);

  bool touchesUndefined(const Wave &wave, const Instruction &instruction);
  void compareFillings(Wave &wave, const Instruction &instruction);
  void requireScalar(unsigned index) const;
  void collect(const Wave &wave, const Instruction &instruction);
  void require(const Wave &wave, const Instruction &instruction, const Operand &operand, const char *role);
  void requireSources(const Wave &wave, const Instruction &instruction, const char *role);
  void requireCondition(const Wave &wave, const Instruction &instruction);
  void defineDestinations(const Wave &wave, const Instruction &instruction);
  void load(Wave &wave, const Instruction &instruction);
  void store(Wave &wave, const Instruction &instruction);
  std::string nameOfUndefined(const Wave &wave, const Instruction &instruction);

  const unsigned scalarCount_, vectors_; // of the kernel descriptor
  std::vector<VectorRegister> bits_;     // 1: undefined. Only of the lanes in lanes_
  std::vector<u64> lanes_;               // the lanes of a register with undefined bits
  std::array<u32, 128> scalars_;
  std::vector<u8> scratch_;
  bool scc_ = true; // undefined
  bool shadowing_ = false, sawUndefined_ = false;
  const Instruction *current_ = nullptr;
  std::vector<Touched> touched_;
  std::vector<TouchedScalar> touchedScalars_;
  std::vector<GlobalStore> globalStores_;
};

} // namespace kiln::emulator
