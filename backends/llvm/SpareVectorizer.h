// Keeps LLVM's loop vectoriser from loops over which it would never end.
#pragma once
#include "llvm/IR/PassManager.h"

namespace kiln {

/// Marks loops as not to be vectorised whose uniform values lead to each other by too many ways. The vectoriser of LLVM
/// 22 asks of every value whether it is uniform by asking its operands, and again wherever a value is used: with x = x
/// * x it does so twice for the first x, four times for the one before, and so on.
struct SpareVectorizerPass : llvm::PassInfoMixin<SpareVectorizerPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace kiln
