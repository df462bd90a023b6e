// Single precision division and square root as exact as OpenCL asks for (2.5 and 3 units in the last place), instead of
// correctly rounded, which takes a subroutine.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// Runs behind the optimiser, which knows the rules of division and not those of the instructions that replace it.
void relaxPrecision(llvm::Module &module);

} // namespace kiln
