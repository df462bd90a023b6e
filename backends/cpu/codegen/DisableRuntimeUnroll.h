// Disables LLVM's runtime unrolling of scalar loops. It unrolls a loop with a dynamic trip count eight times and adds a
// loop for the remaining iterations. In scalar loops each iteration usually depends on the previous one, so this gains
// nothing, and it costs mispredicted branches and compile time.
#pragma once
#include "llvm/IR/PassManager.h"

namespace kiln {

/// Runs before the vectoriser, which sets the same metadata on its loops.
struct DisableRuntimeUnrollPass : llvm::PassInfoMixin<DisableRuntimeUnrollPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace kiln
