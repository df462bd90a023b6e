// Replaces asm statements of one known instruction by LLVM IR.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// LLVM neither folds nor merges asm statements. Programs write them for instructions that NVIDIA's assembler selects
/// for plain operations as well:
///
///   asm "lop3.b32 $0, $1, $2, $3, 0xca;"(x, y, z)     ->  z ^ (x & (y ^ z))
///   asm "shf.r.wrap.b32 $0, $1, $2, $3;"(lo, hi, n)   ->  fshr(hi, lo, n)
///
/// Runs before LLVM's passes. Other statements stay.
void replaceAssembly(llvm::Module &module);

} // namespace kiln
