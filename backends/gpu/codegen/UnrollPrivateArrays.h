// Unrolls loops that index a private array by their counter, so that the array becomes registers.
#pragma once
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class LPMUpdater;
class Loop;
} // namespace llvm

namespace kiln {

/// A register has no address: an array in registers needs constant indices. In local memory each access costs an access
/// of the cache, and the array of every work-item takes space there. LLVM's own limit is that of a loop whose unrolling
/// saves only the branch. This pass marks loops of a constant number of iterations for LLVM's full unrolling, which
/// runs next, and splits the array afterwards.
struct UnrollPrivateArraysPass : llvm::PassInfoMixin<UnrollPrivateArraysPass> {
  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &analyses,
                              llvm::LoopStandardAnalysisResults &results, llvm::LPMUpdater &updater);
};

} // namespace kiln
