// One operand of an assembly text: a register, a constant, or one with input modifiers such as -|v1| or sext(v2).
#pragma once
#include "emulator/decode/Instruction.h"
#include <string_view>

namespace kiln::emulator {

/// Returns false, with `operand` unspecified, if the text is not an operand.
bool parseOperand(std::string_view text, Operand &operand);

} // namespace kiln::emulator
