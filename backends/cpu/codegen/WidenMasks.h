// Widens masks that are live across blocks, for processors without mask registers.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// Between blocks LLVM keeps masks as bytes, whatever the element types of their comparisons and selects, and packs and
/// unpacks them in each loop iteration. This pass converts masks of at least four lanes to vectors of i32 (true is -1);
/// shorter ones are scalarized. Runs after the last pass that would convert them back.
void widenMasks(llvm::Module &module);

} // namespace kiln
