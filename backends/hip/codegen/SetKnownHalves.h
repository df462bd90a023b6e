// Writes the half of a 64-bit `or` whose bits are all known to be ones as a constant.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// LLVM 22 splits a 64-bit `or` into two of 32 bits late, and its fold of `or -1, x` returns x (SIFoldOperands, where
/// the constant is the first operand). rhadd(a, b | 0xffffffff) of ulongs was wrong by it.
void setKnownHalves(llvm::Module &module);

} // namespace kiln
