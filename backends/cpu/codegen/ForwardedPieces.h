// Pieces of vectors that LLVM takes for wide integers.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// Where a part of a vector is read that was just stored, LLVM keeps the vector in a register, and takes the part out of
/// it as an integer of 128 to 512 bits, which the code generator makes of numbers of 64. Here it is a shuffle again.
/// The rounds of a tree in local memory are full of them.
void shuffleForwardedPieces(llvm::Module &module);

} // namespace kiln
