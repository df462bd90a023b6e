// Kiln's math functions (backends/cpu/math) in a kernel's module. They stay calls while the optimiser works, so that
// loops are vectorised with their vector forms and nothing is spent on bodies that were optimised when Kiln was built.
#pragma once
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace kiln {

/// Says of every math function that the module calls on single numbers which forms of it take vectors.
void offerVectorForms(llvm::Module &module);

/// Brings in the functions that are called, and inlines the short ones. Nothing happens where there are none.
void linkMathFunctions(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace kiln
