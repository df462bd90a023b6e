#include "backends/llvm/Emit.h"
#include "backends/llvm/GuardLoopVectorizer.h"
#include "backends/llvm/Target.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PassTimingInfo.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
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

namespace kiln {

std::unique_ptr<llvm::Module> translateToLlvm(mlir::ModuleOp module, llvm::LLVMContext &context) {
  return mlir::translateModuleToLLVMIR(module, context, "kiln");
}

// Functions with more instructions run only passes that take linear time. Several passes of LLVM's default pipeline
// take O(n^2), n being the function's instructions, and MLIR's passes have optimised the code before.
constexpr unsigned MaxInstructions = 12000;

// The same for blocks: ScalarEvolution walks the blocks before a loop for each loop, so in a kernel of 1,041 loops in a
// row the loop passes take 1.9 of 2.4 s, and in one of 4,167 loops more than ten minutes.
constexpr size_t MaxBlocksOfLoopPasses = 1500;

bool isLarge(const llvm::Function &function) {
  return function.size() > MaxBlocksOfLoopPasses || function.getInstructionCount() > MaxInstructions;
}
bool hasLargeFunction(const llvm::Module &module) { return llvm::any_of(module, isLarge); }

static llvm::ModulePassManager wholeModule(llvm::PassBuilder &builder, llvm::FunctionPassManager passes) {
  llvm::ModulePassManager all;
  all.addPass(llvm::AlwaysInlinerPass());
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  all.addPass(builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)); // passes that the target requires
  return all;
}

// Hoists invariants out of loops of at most MaxBlocks blocks. A value that is hoisted out of a larger loop, such as
// that over work-items around a long kernel, is live in all its blocks: in a kernel of 4,167 loops, code generation
// took 17 s, most of it for live ranges.
struct HoistOutOfSmallLoopsPass : llvm::PassInfoMixin<HoistOutOfSmallLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &analyses,
                              llvm::LoopStandardAnalysisResults &results, llvm::LPMUpdater &updater) {
    if (loop.getNumBlocks() > MaxBlocks)
      return llvm::PreservedAnalyses::all();
    return llvm::LICMPass(llvm::LICMOptions()).run(loop, analyses, results, updater);
  }
};

static llvm::FunctionPassManager linearPasses() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(HoistOutOfSmallLoopsPass(), /*UseMemorySSA=*/true));
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
    loops.addPass(HoistOutOfSmallLoopsPass());
    return llvm::createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true);
  };
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(hoist());
  passes.addPass(llvm::GVNPass());
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

// Sets options of LLVM, which belong to the process, and resets them. lld resets all options when it links, so each
// phase sets its own.
class Options {
public:
  explicit Options(std::vector<LlvmOption> options) : options_(std::move(options)) {
    for (const auto &[name, value] : options_)
      if (llvm::cl::Option *option = find(name)) {
        option->reset(); // most options may be set only once
        option->addOccurrence(0, name, value);
      }
  }
  Options(const Options &) = delete;
  Options &operator=(const Options &) = delete;
  ~Options() {
    for (const LlvmOption &one : options_)
      if (llvm::cl::Option *option = find(one.name))
        option->reset();
  }

private:
  // Returns null if this version of LLVM does not have the option.
  static llvm::cl::Option *find(llvm::StringRef name) { return llvm::cl::getRegisteredOptions().lookup(name); }

  std::vector<LlvmOption> options_;
};

// The options of all targets, and the target's.
static std::vector<LlvmOption> optionsFor(const llvm::Module &module, const Target &target, Effort effort) {
  std::vector<LlvmOption> options = {
      // Accesses of different work-items are independent, and the loop over them is marked parallel. LLVM 22's
      // vectoriser wrongly applies this to the accesses of one work-item and groups them across stores in between.
      {"enable-interleaved-mem-accesses", "false"},
      // Above this number of blocks, CodeGenPrepare revisits only changed blocks.
      {"cgpp-huge-func", std::to_string(MaxBlocks)}};
  llvm::append_range(options, target.llvmOptions(module, effort));
  return options;
}

void optimise(llvm::Module &module, const Target &target, Effort effort, llvm::PassInstrumentationCallbacks *observer) {
  llvm::TargetMachine &machine = target.machine();
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassInstrumentationCallbacks ownCallbacks;
  llvm::PassInstrumentationCallbacks &callbacks = observer ? *observer : ownCallbacks;
  LargeFunctions::registerSkip(callbacks);
  llvm::TimePassesHandler timer; // off without --time-passes
  timer.registerCallbacks(callbacks);
  llvm::PassBuilder builder(&machine, llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(noLibrary(machine.getTargetTriple())); });
  machine.registerPassBuilderCallbacks(builder);
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) { passes.addPass(GuardLoopVectorizerPass()); });
  target.extendPipeline(builder);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  const Options options(optionsFor(module, target, effort));
  std::optional<LargeFunctions> large;
  if (effort != Effort::None)
    large.emplace(module, modules, functions);
  pipeline(builder, effort).run(module, modules);
}

// Adds the code generator's passes, and the target's after some of them. No verifier: the module is the output of
// MLIR's and LLVM's passes.
static void addPasses(llvm::legacy::PassManager &passes, const Target &target, llvm::raw_pwrite_stream &stream,
                      llvm::CodeGenFileType type) {
  llvm::TargetMachine &machine = target.machine();
  const llvm::SmallVector<InsertedPass> added = target.codeGeneratorPasses();
  // LLVM's function inserts no pass. Unlike the rest of this one, it lists the runtime functions that code may call.
  if (added.empty()) {
    machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true);
    return;
  }
  auto *info = new llvm::MachineModuleInfoWrapperPass(&machine);
  llvm::TargetPassConfig *config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  for (const InsertedPass &one : added)
    config->insertPass(one.after, one.added);
  passes.add(config);
  passes.add(info);
  config->addISelPasses();
  config->addMachinePasses();
  config->setInitialized();
  machine.addAsmPrinter(passes, stream, nullptr, type, info->getMMI().getContext());
  passes.add(llvm::createFreeMachineFunctionPass());
}

// Returns true if a debugger shows the module's variables. Then the code is in the order of the instructions, as only
// the lowest level leaves it: a step goes from line to line.
static bool describesVariables(const llvm::Module &module) {
  return llvm::any_of(module.debug_compile_units(), [](const llvm::DICompileUnit *unit) {
    return unit->getEmissionKind() == llvm::DICompileUnit::FullDebug;
  });
}

llvm::SmallVector<char, 0> emit(llvm::Module &module, const Target &target, llvm::CodeGenFileType type, Effort effort) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::TargetMachine &machine = target.machine();
  const llvm::CodeGenOptLevel level = machine.getOptLevel();
  if (describesVariables(module))
    machine.setOptLevel(llvm::CodeGenOptLevel::None);
  else if (hasLargeFunction(module))
    machine.setOptLevel(std::min(level, llvm::CodeGenOptLevel::Less));
  const Options options(optionsFor(module, target, effort));
  target.prepareCodeGeneration(module, effort);
  llvm::legacy::PassManager passes;
  passes.add(new llvm::TargetLibraryInfoWrapperPass(noLibrary(machine.getTargetTriple())));
  addPasses(passes, target, stream, type);
  passes.run(module);
  machine.setOptLevel(level);
  machine.setFastISel(false); // the lowest level turns it on
  if (type == llvm::CodeGenFileType::AssemblyFile)
    target.finishAssembly(bytes);
  return bytes;
}

} // namespace kiln
