// Assembly text to operands and modifiers. LLVM's syntax for AMDGPU is documented and names every modifier, and it is
// the same for all generations; the operand lists of its instruction tables are neither.
#pragma once
#include "emulator/decode/Instruction.h"
#include <string_view>

namespace kiln::emulator {

/// Parses one line. Returns the mnemonic without the suffix of its encoding: v_add_f32 for v_add_f32_e64_dpp. A word
/// that is not known is named in `instruction.why`. A dual instruction has its second half in `instruction.second`,
/// and `secondName` is its mnemonic.
std::string parseInstruction(std::string_view line, Instruction &instruction, std::string &secondName);

/// The counters of a wait such as "s_waitcnt vmcnt(0)", "s_waitcnt_vscnt null, 0x0" or "s_wait_loadcnt_dscnt 0x103".
WaitCounts parseWaits(std::string_view mnemonic, std::string_view line);

/// The number in "name(7)" of a text such as "vmcnt(0) lgkmcnt(7)"; -1 if it is not there.
int parseCounter(std::string_view text, std::string_view name);

} // namespace kiln::emulator
