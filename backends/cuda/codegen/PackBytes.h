// Packs bytes of 32-bit integers without shifting them.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// LLVM packs the lowest bytes of four integers with three PRMT instructions, and first shifts other bytes to the
/// lowest position. PRMT can select any byte, so this pass removes the shifts:
///
///   trunc <4 x i8> (lshr <4 x i32> x, 8)   ->   prmt(prmt(x0, x1, 0x51), prmt(x2, x3, 0x51), 0x5410)
///
/// Runs after WidenShortIntegers, which makes the elements 32 bits wide.
void packBytes(llvm::Module &module);

} // namespace kiln
