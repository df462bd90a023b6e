// Disables LLVM's loop vectoriser for loops on which it takes exponential time.
#pragma once
#include "llvm/IR/PassManager.h"

namespace kiln {

/// Disables vectorization of loops whose uniform values have too many use-def paths. LLVM 22's vectoriser decides
/// recursively whether a value is uniform, without a cache: for a chain of x = x * x it visits the last x once, the one
/// before twice, the next four times, and so on.
struct GuardLoopVectorizerPass : llvm::PassInfoMixin<GuardLoopVectorizerPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace kiln
