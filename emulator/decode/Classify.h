// What the checks and the counters need to know of an instruction beyond its operands.
#pragma once
#include "emulator/decode/Instruction.h"
#include <string_view>

namespace kiln::emulator {

/// Sets the instruction's unit, effect, memory and destinations by its mnemonic, which has no suffix of an encoding.
void classify(Instruction &instruction, std::string_view mnemonic);

} // namespace kiln::emulator
