#include "backends/llvm/Emit.h"
#include "backends/llvm/DisableRuntimeUnroll.h"
#include "backends/llvm/GuardLoopVectorizer.h"
#include "backends/llvm/HoistPhiValues.h"
#include "backends/llvm/KeepNarrowIndices.h"
#include "backends/llvm/LimitLoopStrengthReduce.h"
#include "backends/llvm/PadTwoWayBranches.h"
#include "backends/llvm/SeparateNarrowStores.h"
#include "backends/llvm/Target.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/ValueHandle.h"
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
#include "llvm/Transforms/Utils.h"

namespace kiln {

std::unique_ptr<llvm::Module> translateToLlvm(mlir::ModuleOp module, llvm::LLVMContext &context) {
  return mlir::translateModuleToLLVMIR(module, context, "kiln");
}

// Functions with more instructions run only passes that take linear time. Several passes of LLVM's default pipeline
// take O(n^2), n being the function's instructions, and MLIR's passes have optimised the code before.
constexpr unsigned MaxInstructions = 12000;

static bool isLarge(const llvm::Function &function) { return function.getInstructionCount() > MaxInstructions; }
static bool hasLargeFunction(const llvm::Module &module) { return llvm::any_of(module, isLarge); }

static llvm::ModulePassManager wholeModule(llvm::PassBuilder &builder, llvm::FunctionPassManager passes) {
  llvm::ModulePassManager all;
  all.addPass(llvm::AlwaysInlinerPass());
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  all.addPass(builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)); // passes that the target requires
  return all;
}

static llvm::FunctionPassManager linearPasses() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::ADCEPass());
  return passes;
}

// Optimises the large functions of a module, and excludes them from LLVM's pipelines while it exists. So a large kernel
// does not change the code of the other kernels.
class LargeFunctions {
public:
  LargeFunctions(llvm::Module &module, llvm::ModuleAnalysisManager &modules, llvm::FunctionAnalysisManager &functions) {
    if (!hasLargeFunction(module))
      return;
    llvm::ModulePassManager inlining;
    inlining.addPass(llvm::AlwaysInlinerPass());
    inlining.run(module, modules);
    llvm::FunctionPassManager passes = linearPasses();
    for (llvm::Function &function : module) {
      if (!isLarge(function))
        continue;
      functions.invalidate(function, passes.run(function, functions));
      large_.push_back({&function, function.hasFnAttribute(llvm::Attribute::NoInline)});
      function.addFnAttr(llvm::Attribute::OptimizeNone);
      function.addFnAttr(llvm::Attribute::NoInline); // LLVM requires it next to optnone
    }
  }
  LargeFunctions(const LargeFunctions &) = delete;
  LargeFunctions &operator=(const LargeFunctions &) = delete;
  ~LargeFunctions() {
    for (const Large &large : large_) {
      auto *function = llvm::cast_or_null<llvm::Function>(large.function);
      if (!function)
        continue;
      function->removeFnAttr(llvm::Attribute::OptimizeNone);
      if (!large.wasNoInline)
        function->removeFnAttr(llvm::Attribute::NoInline);
    }
  }

  /// Lets pass managers skip optional passes on large functions.
  static void registerSkip(llvm::PassInstrumentationCallbacks &callbacks) {
    callbacks.registerShouldRunOptionalPassCallback([](llvm::StringRef, llvm::Any unit) {
      const llvm::Function *function = nullptr;
      if (const auto *one = llvm::any_cast<const llvm::Function *>(&unit))
        function = *one;
      else if (const auto *loop = llvm::any_cast<const llvm::Loop *>(&unit))
        function = (*loop)->getHeader()->getParent();
      return !function || !function->hasOptNone();
    });
  }

private:
  struct Large {
    llvm::WeakVH function; // null if a pass erased it
    bool wasNoInline;
  };
  llvm::SmallVector<Large> large_;
};

// Takes a quarter of the time of LLVM's default pipeline for most of its speedup: hoists loop invariants and removes
// redundant loads and computations.
static llvm::ModulePassManager quickPipeline(llvm::PassBuilder &builder) {
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

static llvm::ModulePassManager pipeline(llvm::PassBuilder &builder, Effort effort) {
  if (effort == Effort::None)
    return builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0);
  if (effort == Effort::Quick)
    return quickPipeline(builder);
  return builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
}

// Kernels have no C library, so LLVM must neither recognise nor call its functions.
static llvm::TargetLibraryInfoImpl noLibrary(const llvm::Triple &triple) {
  llvm::TargetLibraryInfoImpl info(triple);
  info.disableAllFunctions();
  return info;
}

void optimise(llvm::Module &module, llvm::TargetMachine &machine, Effort effort,
              llvm::function_ref<void(llvm::PassBuilder &)> extend, llvm::PassInstrumentationCallbacks *observer) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassInstrumentationCallbacks ownCallbacks;
  llvm::PassInstrumentationCallbacks &callbacks = observer ? *observer : ownCallbacks;
  LargeFunctions::registerSkip(callbacks);
  llvm::PassBuilder builder(&machine, llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(noLibrary(machine.getTargetTriple())); });
  machine.registerPassBuilderCallbacks(builder);
  builder.registerVectorizerStartEPCallback([&](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) {
    passes.addPass(GuardLoopVectorizerPass());
    if (machine.getTargetTriple().isX86())
      passes.addPass(DisableRuntimeUnrollPass());
  });
  if (extend)
    extend(builder);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  // Accesses of different work-items are independent, and the loop over them is marked parallel. LLVM 22's vectoriser
  // wrongly applies this to the accesses of one work-item and groups them across stores in between.
  setOption("enable-interleaved-mem-accesses", "false");
  setOption("pragma-unroll-threshold", machine.getTargetTriple().isX86() ? "4000" : ""); // instructions; else 16,384
  // Loops with a dynamic trip count: as many copies as nvcc makes. LLVM's limits for NVPTX, 37 instructions and eight
  // copies, leave loops of 19 instructions as they are, and make short ones too long after ptxas has unrolled them
  // again.
  const bool isNvidia = machine.getTargetTriple().isNVPTX();
  setOption("unroll-partial-threshold", isNvidia ? "150" : "");
  setOption("unroll-max-count", isNvidia ? "4" : "");
  std::optional<LargeFunctions> large;
  if (effort != Effort::None)
    large.emplace(module, modules, functions);
  pipeline(builder, effort).run(module, modules);
}

// For functions with more blocks, the code generator skips parts that take O(n^2), n being the number of blocks: block
// placement is off, and live ranges through many blocks are split less.
constexpr unsigned MaxBlocks = 600;

// For functions with more blocks, branch folding and machine CSE are off as well. With 16,000 cases of a switch both
// take 20 of 26 s, and the register coalescer takes the rest if a value is defined in each case.
constexpr unsigned MaxBlocksToMerge = 5000;

static unsigned maxBlocks(const llvm::Module &module) {
  size_t most = 0;
  for (const llvm::Function &function : module)
    most = std::max(most, function.size());
  return unsigned(most);
}

// For x86 only: the code generators of GPUs rely on these passes.
static void adaptToX86(llvm::Module &module, llvm::TargetMachine &machine, Effort effort) {
  if (effort == Effort::Full)
    reduceSmallLoops(module, machine);
  setOption("disable-lsr", "true");
  setOption("enable-misched", hasLargeFunction(module) ? "false" : ""); // O(n^2) in a block's instructions
  const unsigned blocks = maxBlocks(module);
  const bool hasManyBlocks = blocks > MaxBlocks;
  setOption("disable-block-placement", hasManyBlocks ? "true" : "");
  setOption("large-interval-freq-threshold", hasManyBlocks ? "32" : "");
  setOption("grow-region-complexity-budget", hasManyBlocks ? "1000" : "");
  setOption("disable-branch-fold", blocks > MaxBlocksToMerge ? "true" : "");
  setOption("disable-machine-cse", blocks > MaxBlocksToMerge ? "true" : "");
}

struct InsertedPass {
  llvm::AnalysisID after;
  llvm::Pass *added;
};

// The passes of addPassesToEmitFile, and others after some of them.
static void addPasses(llvm::legacy::PassManager &passes, llvm::TargetMachine &machine, llvm::raw_pwrite_stream &stream,
                      llvm::CodeGenFileType type, llvm::ArrayRef<InsertedPass> inserted) {
  auto *info = new llvm::MachineModuleInfoWrapperPass(&machine);
  llvm::TargetPassConfig *config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  for (const InsertedPass &one : inserted)
    config->insertPass(one.after, one.added);
  passes.add(config);
  passes.add(info);
  config->addISelPasses();
  config->addMachinePasses();
  config->setInitialized();
  machine.addAsmPrinter(passes, stream, nullptr, type, info->getMMI().getContext());
  passes.add(llvm::createFreeMachineFunctionPass());
}

static void addAmdgpuPasses(llvm::legacy::PassManager &passes, llvm::TargetMachine &machine,
                            llvm::raw_pwrite_stream &stream, llvm::CodeGenFileType type) {
  const std::unique_ptr<llvm::Pass> unify(llvm::createUnifyLoopExitsPass()); // StructurizeCFG follows
  llvm::SmallVector<InsertedPass> inserted = {{unify->getPassID(), createHoistPhiValuesPass()}};
  if (machine.getTargetCPU().starts_with("gfx9"))
    inserted.push_back({&llvm::PostRAHazardRecognizerID, createPadTwoWayBranchesPass()});
  addPasses(passes, machine, stream, type, inserted);
}

static void addNvptxPasses(llvm::legacy::PassManager &passes, llvm::TargetMachine &machine,
                           llvm::raw_pwrite_stream &stream, llvm::CodeGenFileType type) {
  const std::unique_ptr<llvm::Pass> freeze(llvm::createCanonicalizeFreezeInLoopsPass()); // LoopStrengthReduce follows
  addPasses(passes, machine, stream, type, {{freeze->getPassID(), createKeepNarrowIndicesPass()}});
}

llvm::SmallVector<char, 0> emit(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
                                Effort effort) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  const llvm::CodeGenOptLevel level = machine.getOptLevel();
  const bool isNvidia = machine.getTargetTriple().isNVPTX();
  if (hasLargeFunction(module))
    machine.setOptLevel(std::min(level, llvm::CodeGenOptLevel::Less));
  // Above this number of blocks, CodeGenPrepare revisits only changed blocks.
  setOption("cgpp-huge-func", std::to_string(MaxBlocks));
  if (machine.getTargetTriple().isX86())
    adaptToX86(module, machine, effort);
  // Loop strength reduction keeps a loop as it is if its solution is not cheaper. By default it replaces an index by a
  // pointer for each array, and the addition to a pointer is two instructions.
  setOption("lsr-drop-solution", isNvidia ? "true" : "");
  llvm::legacy::PassManager passes;
  passes.add(new llvm::TargetLibraryInfoWrapperPass(noLibrary(machine.getTargetTriple())));
  // No verifier: the module is the output of MLIR's and LLVM's passes.
  if (machine.getTargetTriple().isAMDGCN())
    addAmdgpuPasses(passes, machine, stream, type);
  else if (isNvidia)
    addNvptxPasses(passes, machine, stream, type);
  else
    machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true);
  passes.run(module);
  machine.setOptLevel(level);
  if (isNvidia) {
    const std::string separated = separateNarrowStores({bytes.data(), bytes.size()});
    bytes.assign(separated.begin(), separated.end());
  }
  return bytes;
}

} // namespace kiln
