// Loads four elements at once in loops that read consecutive elements.
#pragma once
#include "llvm/IR/PassManager.h"

namespace kiln {

/// A work-item that reads a row of a matrix loads one element an iteration. Each such load of a warp touches 32 sectors
/// of the cache and takes as long as 32 loads of neighbours. One load of four elements takes a quarter of that time,
/// but its address must be a multiple of its size, which depends on the kernel's arguments:
///
///   for (k = 0; k < columns; ++k) sum += a[row * columns + k] * x[k];   // a, x: 16 bytes; columns: 4
///
/// The loop gets a wide form before it, which runs four iterations at once. The wide form is entered if the arguments
/// are such multiples. The condition uses nothing else, so all work-items of a launch take the same way.
///
/// Needs simplified loops in LCSSA form. Only loops of one block that write no memory: the four iterations' loads
/// happen before the first iteration ends.
struct WidenLoadsPass : llvm::PassInfoMixin<WidenLoadsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace kiln
