#include "backends/cpu/codegen/LimitLoopStrengthReduce.h"
#include "backends/llvm/Emit.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopStrengthReduce.h"
#include "llvm/Transforms/Utils/CanonicalizeFreezeInLoops.h"

using namespace llvm;

namespace kiln {
namespace {

constexpr size_t MaxInstructions = 128; // of a loop

bool isSmall(const Loop &loop) {
  size_t count = 0;
  for (const BasicBlock *block : loop.blocks())
    if ((count += block->size()) > MaxInstructions)
      return false;
  return true;
}

template <typename Pass> struct OnSmallLoops : PassInfoMixin<OnSmallLoops<Pass>> {
  PreservedAnalyses run(Loop &loop, LoopAnalysisManager &analyses, LoopStandardAnalysisResults &results,
                        LPMUpdater &updater) {
    return isSmall(loop) && !isLarge(*loop.getHeader()->getParent()) ? Pass().run(loop, analyses, results, updater)
                                                                     : PreservedAnalyses::all();
  }
};

} // namespace

void reduceSmallLoops(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager callGraph;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  LoopPassManager passes;
  passes.addPass(OnSmallLoops<CanonicalizeFreezeInLoopsPass>());
  passes.addPass(OnSmallLoops<LoopStrengthReducePass>());
  ModulePassManager all;
  all.addPass(createModuleToFunctionPassAdaptor(createFunctionToLoopPassAdaptor(std::move(passes))));
  all.run(module, modules);
}

} // namespace kiln
