#include "backends/llvm/Emit.h"
#include "backends/llvm/ReduceLoops.h"
#include "backends/llvm/SpareUnroller.h"
#include "backends/llvm/SpareVectorizer.h"
#include "backends/llvm/Target.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "mlir/Target/LLVMIR/Export.h"

namespace kiln {

std::unique_ptr<llvm::Module> translateToLlvm(mlir::ModuleOp module, llvm::LLVMContext &context) {
  return mlir::translateModuleToLLVMIR(module, context, "kiln");
}

// In functions of more instructions than this, only passes run whose time grows no faster than the function. Several of
// LLVM's usual ones grow with its square, and MLIR's have left little for the others.
constexpr unsigned MaxInstructions = 12000;

static bool hasLargeFunction(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &f) { return f.getInstructionCount() > MaxInstructions; });
}

static llvm::ModulePassManager wholeModule(llvm::PassBuilder &builder, llvm::FunctionPassManager passes) {
  llvm::ModulePassManager all;
  all.addPass(llvm::AlwaysInlinerPass());
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  all.addPass(builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)); // what the target needs
  return all;
}

static llvm::ModulePassManager linearPipeline(llvm::PassBuilder &builder) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::ADCEPass());
  return wholeModule(builder, std::move(passes));
}

// A quarter of the time of LLVM's usual pipeline, for most of what that reaches: what work-items have in common leaves
// their loops, and what is read or computed twice is kept.
static llvm::ModulePassManager stopgapPipeline(llvm::PassBuilder &builder) {
  auto hoist = [] {
    llvm::LoopPassManager loops;
    loops.addPass(llvm::LoopRotatePass());
    loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
    return llvm::createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true);
  };
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(hoist());
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(hoist());
  passes.addPass(llvm::DSEPass());
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  return wholeModule(builder, std::move(passes));
}

static llvm::ModulePassManager pipeline(llvm::PassBuilder &builder, const llvm::Module &module, Effort effort) {
  if (effort == Effort::None)
    return builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0);
  if (hasLargeFunction(module))
    return linearPipeline(builder);
  if (effort == Effort::Quick)
    return stopgapPipeline(builder);
  return builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
}

// No function of the C library exists where kernels run, so none may be recognised or called.
static llvm::TargetLibraryInfoImpl noLibrary(const llvm::Triple &triple) {
  llvm::TargetLibraryInfoImpl info(triple);
  info.disableAllFunctions();
  return info;
}

void optimise(llvm::Module &module, llvm::TargetMachine &machine, Effort effort,
              llvm::function_ref<void(llvm::PassBuilder &)> extend) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(noLibrary(machine.getTargetTriple())); });
  machine.registerPassBuilderCallbacks(builder);
  builder.registerVectorizerStartEPCallback([&](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) {
    passes.addPass(SpareVectorizerPass());
    if (machine.getTargetTriple().isX86())
      passes.addPass(SpareUnrollerPass());
  });
  if (extend)
    extend(builder);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  // Work-items are independent of one another, and for the loop over them that is said of all accesses. The vectoriser
  // takes it for one work-item's as well and groups its accesses across what it wrote in between (LLVM 22).
  setOption("enable-interleaved-mem-accesses", "false");
  setOption("pragma-unroll-threshold", machine.getTargetTriple().isX86() ? "4000" : ""); // instructions; else 16,384
  llvm::ModulePassManager passes = pipeline(builder, module, effort);
  passes.run(module, modules);
}

// In functions of more blocks than this, the code generator leaves out what takes time that grows with their square: it
// places blocks as they come, and gives up sooner on values that live through many of them.
constexpr unsigned MaxBlocks = 600;

// And of more than this, it merges no equal ends of blocks and looks for no equal computations: at 16,000 cases of a
// switch both take 20 of 26 s, and the register coalescer takes the rest where a value has a definition in each.
constexpr unsigned MaxBlocksToMerge = 5000;

static unsigned mostBlocks(const llvm::Module &module) {
  size_t most = 0;
  for (const llvm::Function &function : module)
    most = std::max(most, function.size());
  return unsigned(most);
}

// Of x86's alone: the code generators of GPUs count on what they have.
static void adaptToX86(llvm::Module &module, llvm::TargetMachine &machine, Effort effort) {
  if (effort == Effort::Full)
    reduceSmallLoops(module, machine);
  setOption("disable-lsr", "true");
  setOption("enable-misched", hasLargeFunction(module) ? "false" : ""); // its time grows with the square of a block
  const unsigned blocks = mostBlocks(module);
  const bool hasManyBlocks = blocks > MaxBlocks;
  setOption("disable-block-placement", hasManyBlocks ? "true" : "");
  setOption("large-interval-freq-threshold", hasManyBlocks ? "32" : "");
  setOption("grow-region-complexity-budget", hasManyBlocks ? "1000" : "");
  setOption("disable-branch-fold", blocks > MaxBlocksToMerge ? "true" : "");
  setOption("disable-machine-cse", blocks > MaxBlocksToMerge ? "true" : "");
}

llvm::SmallVector<char, 0> emit(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
                                Effort effort) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  const llvm::CodeGenOptLevel level = machine.getOptLevel();
  if (hasLargeFunction(module))
    machine.setOptLevel(std::min(level, llvm::CodeGenOptLevel::Less));
  // Above this number of blocks, CodeGenPrepare visits those that have changed and not all of them again.
  setOption("cgpp-huge-func", std::to_string(MaxBlocks).c_str());
  if (machine.getTargetTriple().isX86())
    adaptToX86(module, machine, effort);
  llvm::legacy::PassManager passes;
  passes.add(new llvm::TargetLibraryInfoWrapperPass(noLibrary(machine.getTargetTriple())));
  // No verifier: the module came through MLIR's and LLVM's own passes.
  machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true);
  passes.run(module);
  machine.setOptLevel(level);
  return bytes;
}

} // namespace kiln
