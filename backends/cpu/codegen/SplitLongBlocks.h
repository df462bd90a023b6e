// Splits blocks of thousands of instructions before code generation. LLVM's two-address pass follows chains of tied
// operands to the end of a block, for each instruction of the chain: 0.25 s for a block of 12,500 statements of a
// kernel, and 2.0 s for one of 36,000.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// Returns true if splitLongBlocks changes the module. CodeGenPrepare must be off then: it joins the parts.
bool hasLongBlock(const llvm::Module &module);
void splitLongBlocks(llvm::Module &module);

} // namespace kiln
