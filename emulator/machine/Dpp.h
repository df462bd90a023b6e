// Data-parallel primitives: source 0 of an instruction comes from another lane.
#pragma once
#include "emulator/machine/Wave.h"

namespace kiln::emulator {

struct DppLanes {
  u64 written = 0;                 // the lanes that execute
  std::array<i8, MaxLanes> from{}; // the lane to read; -1: the value is 0
};
DppLanes dppLanes(const Wave &wave, const Instruction &instruction);

} // namespace kiln::emulator
