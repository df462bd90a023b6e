#include "backends/cpu/codegen/DisableRuntimeUnroll.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace kiln {

static bool hasVectors(const Loop &loop) {
  return any_of(loop.blocks(), [](const BasicBlock *block) {
    return any_of(*block, [](const Instruction &instruction) {
      auto *store = dyn_cast<StoreInst>(&instruction);
      return (store ? store->getValueOperand()->getType() : instruction.getType())->isVectorTy();
    });
  });
}

// Returns true if the program has an unroll hint for the loop.
static bool isHinted(const Loop &loop) {
  return findStringMetadataForLoop(&loop, "llvm.loop.unroll.count") ||
         findStringMetadataForLoop(&loop, "llvm.loop.unroll.enable");
}

PreservedAnalyses DisableRuntimeUnrollPass::run(Function &function, FunctionAnalysisManager &analyses) {
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (!hasVectors(*loop) && !isHinted(*loop))
      addStringMetadataToLoop(loop, "llvm.loop.unroll.runtime.disable");
  return PreservedAnalyses::all();
}

} // namespace kiln
