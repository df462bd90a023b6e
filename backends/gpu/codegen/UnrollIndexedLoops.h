// Unrolls loops that index a private array or a constant variable by their counter, so that the array becomes registers
// and the constants are operands of instructions.
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
/// runs next, and splits the array afterwards. A loop that is too large for that is unrolled by the period of its
/// indices.
struct UnrollIndexedLoopsPass : llvm::PassInfoMixin<UnrollIndexedLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &analyses,
                              llvm::LoopStandardAnalysisResults &results, llvm::LPMUpdater &updater);
};

} // namespace kiln
