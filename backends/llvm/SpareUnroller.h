// LLVM's unroller repeats a loop of unknown length eight times over and puts what does not come out even before it. In
// a loop of scalars that gains nothing: one sum, or one place to look at, follows from the other, and processors run
// ahead through short loops better than through two. It costs branches that are not foreseen and time to compile.
#pragma once
#include "llvm/IR/PassManager.h"

namespace kiln {

/// Before the vectoriser, whose loops have said so themselves.
struct SpareUnrollerPass : llvm::PassInfoMixin<SpareUnrollerPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace kiln
