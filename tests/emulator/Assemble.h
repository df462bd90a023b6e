// Assembles AMD assembly to a code object in memory.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace kiln::emulator {

/// Empty, with the messages of LLVM in `error`, if the text is wrong.
std::vector<uint8_t> assemble(const std::string &source, const std::string &processor, std::string &error);

} // namespace kiln::emulator
