// All instructions that the emulator executes, by mnemonic.
#pragma once
#include "emulator/decode/Instruction.h"
#include <span>
#include <string_view>

namespace kiln::emulator {

/// A row of a table. `names` are the mnemonics, separated by spaces: generations have different names for some.
struct Row {
  std::string_view names;
  Semantics semantics;
};
using Table = std::span<const Row>;

/// Null if there is no such instruction.
const Semantics *findSemantics(std::string_view mnemonic);

} // namespace kiln::emulator
