// Computes integers of 8 and 16 bits in registers of 32 bits.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// NVIDIA's integer instructions have 32 bits. The assembler extends each operand of a 16-bit instruction and has no
/// 8-bit ones, while LLVM narrows operations. Runs after LLVM's optimisation.
void widenShortIntegers(llvm::Module &module);

} // namespace kiln
