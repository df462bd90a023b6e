// Machine code to an Instruction with its handler.
#pragma once
#include "emulator/decode/Disassembler.h"
#include "emulator/decode/Instruction.h"

namespace kiln::emulator {

/// Decodes the instruction at the start of `code`. If it is not known, the result's handler throws a Fault that says
/// so.
std::unique_ptr<Instruction> decodeInstruction(std::span<const u8> code, u64 address, Disassembler &disassembler);

/// The same for a line of assembly.
std::unique_ptr<Instruction> decodeLine(std::string line);

} // namespace kiln::emulator
