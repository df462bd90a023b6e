// Extracts vector lanes for scalar instructions, above all indices of scattered accesses, via the stack.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// Extracting a lane takes two or three instructions on the processor's only shuffle port; for 16 lanes this is most of
/// the cost of a scattered access. This pass stores the vector on the stack and loads each lane, which processors
/// forward; extending instructions load it directly. If lanes are extracted only in branches, the store is in these.
/// Runs after the last pass that would forward the stores again.
void extractLanesViaStack(llvm::Module &module);

} // namespace kiln
