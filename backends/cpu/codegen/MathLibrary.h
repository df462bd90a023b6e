// Links Kiln's math functions (backends/cpu/math) into a kernel's module. They are calls during optimisation, so that
// loops are vectorised with their vector instances and bodies that were optimised during Kiln's build are not optimised
// again.
#pragma once
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace kiln {

/// Adds the attribute vector-function-abi-variant to all math functions that the module calls on scalars.
void addVectorVariants(llvm::Module &module);

/// Links the functions that are called, and inlines the short ones.
void linkMathFunctions(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace kiln
