// Extracts vector lanes at dynamic indices.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// The code generator lowers each such extraction to a store and a load with a separate stack slot: a few thousand
/// extractions from long vectors exceed a thread's stack. This pass makes them share one slot per function; constant
/// vectors become globals.
void lowerDynamicExtracts(llvm::Module &module);

} // namespace kiln
