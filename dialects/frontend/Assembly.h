// asm statements. Clang parses them, and a call of a function that has the statement as its name carries them to kilnc.
#pragma once
#include "clang/Frontend/CompilerInstance.h"
#include <llvm/IR/Module.h>

namespace kiln::frontend {

/// Lets the compiler accept asm statements with the constraints of any processor. Clang's SPIR target accepts the
/// letter 'r' only. Whether an operand fits a constraint is checked where the processor is known.
void acceptAssembly(clang::CompilerInstance &instance);

/// Replaces asm statements by calls of declared functions (abi::nameOf).
void assemblyToCalls(llvm::Module &module);

} // namespace kiln::frontend
