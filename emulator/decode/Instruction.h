// A decoded instruction: the function that executes it, and its operands and modifiers, all found once per module. The
// operands are in the order of the assembly text: destinations first.
#pragma once
#include "emulator/machine/Types.h"
#include <algorithm>
#include <array>
#include <memory>
#include <string>

namespace kiln::emulator {

class Wave;
struct Instruction;
using Handler = void (*)(Wave &, const Instruction &);

/// Which fields of MODE an instruction's rounding and denormals obey.
enum class FloatMode : u8 { None, Single, HalfOrDouble };

/// The function of an instruction. Tables in instructions/ make one for each mnemonic.
struct Semantics {
  Handler run = nullptr;
  FloatMode mode = FloatMode::None;
  i8 destinations = -1; // -1: as Classify.cpp says for the mnemonic
  bool readsVcc = false;
};

/// Indices into the scalar registers. s0 to s105 have their own numbers.
enum ScalarIndex : u16 { FlatScratch = 102, XnackMask = 104, Vcc = 106, Trap = 108, M0 = 124, Exec = 126 };
/// The accumulation registers (a0, a1, ...) follow the 256 vector registers.
inline constexpr u16 FirstAccumulator = 256;

enum class OperandKind : u8 {
  None,
  Vector,      // vector registers from `index`
  Scalar,      // scalar registers from `index`
  Integer,     // an inline constant or a literal: `integer`
  Real,        // an inline floating-point constant: `real`
  Null,        // reads as 0, drops writes
  Off,         // an address without this part
  Scc,         // the scalar condition code as a source
  Vccz,        // VCC == 0
  Execz,       // EXEC == 0
  SharedBase,  // the aperture of local memory
  SharedLimit, //
  PrivateBase, // the aperture of scratch memory
  PrivateLimit,
  HardwareRegister, // hwreg(name, bit, count)
  Word,             // another word of the assembly text
};

/// The memory that an instruction uses, for the counters of outstanding operations. Message: one that returns a value.
enum class MemoryKind : u8 { None, Scalar, Vector, Flat, Local, Message };
/// Counters, under the names of gfx12. Before it, Local counts scalar loads too (lgkmcnt); gfx9 has Load for stores.
enum class WaitCounter : u8 { Load, Store, Local, Scalar, Count };
inline constexpr u8 NoWait = 0xff;
/// The most operations that may be outstanding after a wait, for each counter.
struct WaitCounts : std::array<u8, size_t(WaitCounter::Count)> {
  constexpr WaitCounts() { fill(NoWait); }
  bool areNone() const {
    return std::ranges::all_of(*this, [](u8 count) { return count == NoWait; });
  }
};

/// The unit that executes an instruction: what Hazards.h and Counts.h tell apart.
enum class Unit : u8 {
  Scalar,
  Vector,
  Transcendental,
  ScalarMemory,
  VectorMemory,
  Scratch,
  Local,
  Branch,
  Barrier,
  Wait
};
/// What an instruction does besides reading and writing the registers that it names (Definedness.h).
enum class Effect : u8 {
  Registers,  // nothing; executing it again with other sources has no effect but other results
  Control,    // changes the program counter, MODE, the barrier; reads a clock
  ScalarLoad, // operand 0 is the destination, the others are the address
  Load,       // the same with vector registers
  Store,      // operand `data` and those after it that are in the same place are stored
  Atomic,     // all sources decide what is in memory
};

/// What a conditional branch reads, if it can be undefined. EXEC never is.
enum class Condition : u8 { None, Scc, Vcc };

enum class Part : u8 { Whole, Low, High };                                  // v1, v1.l, v1.h
enum class Select : u8 { Dword, Byte0, Byte1, Byte2, Byte3, Word0, Word1 }; // of SDWA
enum class Unused : u8 { Pad, SignExtend, Preserve };                       // of SDWA
enum class DppKind : u8 {
  None,
  QuadPermute,
  Dpp8,
  RowShiftLeft,
  RowShiftRight,
  RowRotate,
  WaveShiftLeft,
  WaveRotateLeft,
  WaveShiftRight,
  WaveRotateRight,
  RowMirror,
  RowHalfMirror,
  RowBroadcast15,
  RowBroadcast31,
  RowNewBroadcast, // also row_share
  RowXorMask,
};

struct Operand {
  OperandKind kind = OperandKind::None;
  Part part = Part::Whole;
  Select select = Select::Dword;
  bool negate = false, absolute = false, signExtend = false;
  u8 count = 0;         // registers
  u8 bit = 0, bits = 0; // of a hardware register
  u16 index = 0;        // the first register
  union {
    i64 integer = 0;
    f64 real;
  };
};

struct Instruction {
  Handler run = nullptr;
  FloatMode mode = FloatMode::None;
  u8 operandCount = 0;
  bool clamp = false;
  bool returns = false; // an atomic operation that returns the old value
  bool sdwa = false;
  Select destinationSelect = Select::Dword;
  Unused unused = Unused::Pad;
  u8 opSel = 0, opSelHi = 0xf, negLo = 0, negHi = 0; // a bit for each source; bit 3 of opSel is the destination's
  f32 outputScale = 1;                               // omod
  DppKind dpp = DppKind::None;
  bool boundControl = false, fetchInactive = false;
  u8 rowMask = 0xf, bankMask = 0xf;
  std::array<u8, 8> dppLanes{}; // of QuadPermute and Dpp8; [0] is the number of the others
  u8 bytes = 0;                 // of the encoding
  MemoryKind memory = MemoryKind::None;
  bool memoryResult = false; // operand 0 takes a value from memory
  Unit unit = Unit::Scalar;
  Effect effect = Effect::Registers;
  u8 destinations = 0;       // the first operands
  u8 data = 0;               // of a store: the first operand with data
  bool crossesLanes = false; // reads or writes registers of lanes that are not active
  bool relative = false;     // M0 is added to the index of a register
  bool keepsPart = false;    // a load that changes half of the destination
  bool isComparison = false;
  bool readsVcc = false;       // without naming it
  bool replacesMemory = false; // an atomic operation whose result does not depend on the old value
  Condition condition = Condition::None;
  bool drainsVectors = false; // waits until vector instructions are complete
  u8 waitStates = 1;          // of s_nop: more than one
  WaitCounts waits;
  i32 offset = 0;
  u8 offset0 = 0, offset1 = 0;
  u64 address = 0;
  std::array<Operand, 8> operands{};
  Handler first = nullptr;             // the first half of a dual instruction, whose `run` executes both
  std::unique_ptr<Instruction> second; // the second half
  std::string text;                    // the assembly, for messages
  std::string why;                     // why it cannot be executed
};

} // namespace kiln::emulator
