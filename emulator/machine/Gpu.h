// An emulated processor: the properties in which AMD's generations differ, as far as the emulator depends on them.
#pragma once
#include "emulator/decode/Disassembler.h"

namespace kiln::emulator {

struct Gpu {
  std::string name;                // "gfx942"
  unsigned generation = 0;         // 9, 10, 11, 12
  unsigned waveSize = 64;          // the default
  bool architectedScratch = false; // the hardware sets FLAT_SCRATCH
  bool packedWorkItemIds = false;  // all three in v0
  bool idsInTrapRegisters = false; // work-group ids in ttmp7 and ttmp9
  bool keepsHighHalf = false;      // 16-bit results leave the other half of the register
  bool hasGfx940Hazards = false;   // of Hazards.h
  bool largeRegisterFile = false;  // 1536 registers of a lane on a SIMD, not 1024
  unsigned lineBytes = 128;        // of the cache next to a compute unit
  unsigned localBytes = 64 << 10;
  unsigned computeUnits = 0;

  /// Returns false if LLVM has no such processor.
  static bool describe(const std::string &name, Gpu &gpu);
};

} // namespace kiln::emulator
