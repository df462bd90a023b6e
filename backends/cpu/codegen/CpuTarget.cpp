#include "backends/cpu/codegen/CpuTarget.h"
#include "backends/cpu/codegen/DisableRuntimeUnroll.h"
#include "backends/cpu/codegen/DropClaimedAlignment.h"
#include "backends/cpu/codegen/DynamicLaneExtract.h"
#include "backends/cpu/codegen/EstimateQuotients.h"
#include "backends/cpu/codegen/ExtractViaStack.h"
#include "backends/cpu/codegen/ForwardStores.h"
#include "backends/cpu/codegen/LimitLoopStrengthReduce.h"
#include "backends/cpu/codegen/LowerPermutes.h"
#include "backends/cpu/codegen/MathLibrary.h"
#include "backends/cpu/codegen/NontemporalLoads.h"
#include "backends/cpu/codegen/ParallelCodegen.h"
#include "backends/cpu/codegen/PrefetchStrides.h"
#include "backends/cpu/codegen/SplitLongBlocks.h"
#include "backends/cpu/codegen/StackUsage.h"
#include "backends/cpu/codegen/SubvectorShuffles.h"
#include "backends/cpu/codegen/WidenMasks.h"
#include "backends/llvm/LinkElf.h"
#include "base/abi/KernelAbi.h"
#include "passes/Pipelines.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

// Runtime functions that LLVM's code generator calls (support/), as an object file.
extern "C" const char kiln_cpu_support_begin[], kiln_cpu_support_end[];

namespace kiln {
namespace {

constexpr unsigned ElementBits = 32; // of an element of the machine width

struct VectorRegisters {
  unsigned bits, count;
};

VectorRegisters vectorRegisters(const llvm::MCSubtargetInfo &processor) {
  if (processor.checkFeatures("+avx512f"))
    return {512, 32};
  return {processor.checkFeatures("+avx2") ? 256u : 128u, 16};
}

ocl::TargetFeatures featuresOf(const llvm::MCSubtargetInfo &processor) {
  ocl::TargetFeatures features;
  auto add = [&](ocl::TargetFeature feature, const std::string &name) {
    if (!name.empty() && processor.checkFeatures("+" + name))
      features.add(feature);
  };
#define KILN_TARGET_FEATURE(Name, name, x86) add(ocl::TargetFeature::Name, x86);
#include "dialects/ocl/TargetFeatures.def"
  return features;
}

// For functions with more blocks, branch folding, machine CSE and LICM, and the register coalescer are off as well.
// With 16,000 cases of a switch the former two take 20 of 26 s, with 4,167 loops in a row the latter two 2.5 of 4.9 s.
constexpr unsigned MaxBlocksToMerge = 5000;

// The register coalescer joins the copies of a phi one by one, and each takes time in proportion to those before: 3.3 s
// for 2,083 cases of a switch that all set one variable, of 3.7 s in all. The register allocator removes most of the
// copies as well.
constexpr unsigned MaxMergedValues = 500;

bool mergesManyValues(const llvm::Module &module) {
  auto isLarge = [](const llvm::PHINode &phi) { return phi.getNumIncomingValues() > MaxMergedValues; };
  return llvm::any_of(module, [&](const llvm::Function &function) {
    return llvm::any_of(function, [&](const llvm::BasicBlock &block) { return llvm::any_of(block.phis(), isLarge); });
  });
}

size_t mostBlocks(const llvm::Module &module) {
  size_t most = 0;
  for (const llvm::Function &function : module)
    most = std::max(most, function.size());
  return most;
}

class CpuTarget : public Target {
public:
  using Target::Target;

  ocl::TargetAttr describe(mlir::MLIRContext &context) const override {
    const VectorRegisters registers = vectorRegisters(processor());
    return ocl::TargetAttr::get(&context, ocl::TargetKind::cpu, machine().getTargetCPU(), registers.bits / ElementBits,
                                registers.bits, registers.count, /*sub_group_size=*/0, featuresOf(processor()));
  }

  void addCommonPasses(mlir::OpPassManager &passes, const PassReports &reports) const override {
    kiln::addCommonPasses(passes, reports);
  }
  std::vector<uint64_t> subGroupSizes() const override {
    return {std::begin(abi::CpuSubGroupSizes), std::end(abi::CpuSubGroupSizes)};
  }
  bool hasWorkGroupStage() const override { return true; }
  void addWorkGroupPasses(mlir::OpPassManager &passes, const PassReports &reports) const override {
    kiln::addWorkGroupPasses(passes, reports);
  }
  void addLoweringPasses(mlir::OpPassManager &passes, const PassReports &reports) const override {
    addCpuPasses(passes, reports);
  }

  void completePlan(KernelInfo &info, RecordedPlan &values) const override {
    namespace recorded = ocl::plan;
    KernelPlan &plan = info.plan;
    const unsigned width = vectorRegisters(processor()).bits / ElementBits;
    plan.preferredMultiple = std::max(width, unsigned(values[recorded::PreferredMultiple]));
    plan.subGroupSize = uint32_t(info.requiredSubGroupSize ? info.requiredSubGroupSize : abi::CpuSubGroupSize);
    plan.prefersFixedLocalSize = values[recorded::PrefersFixedLocalSize] || plan.hasBarrier;
    plan.dependsOnLocalSize = values[recorded::DependsOnLocalSize];
    plan.prefersTiles = values[recorded::PrefersTiles] && !plan.dependsOnLocalSize; // reads memory in loops
    plan.rowDimension = uint32_t(values[recorded::RowDimension]);
    plan.staticLocalBytes = values[recorded::StaticLocalBytes];
    plan.itemBytes = values[recorded::ItemBytes], plan.threadBytes = values[recorded::ThreadBytes];
    plan.privateBytes = values[recorded::PrivateBytes];
    plan.prints = values[recorded::Prints];
    plan.enqueues = values[recorded::Enqueues];
    plan.maxWorkGroupSize = abi::MaxCpuGroupSize;
    if (plan.itemBytes)
      plan.maxWorkGroupSize = std::clamp<uint64_t>(abi::MaxItemsArea / plan.itemBytes, 1, abi::MaxCpuGroupSize);
  }

  bool prepare(llvm::Module &module, const CodeOptions &, std::string &error) const override {
    if (!lowerPermutes(module, error))
      return false;
    setProcessor(module, machine());
    dropClaimedAlignment(module);
    // Realigns the stack for vector spills, because the caller's stack may have a smaller alignment.
    for (llvm::Function &function : module)
      if (!function.isDeclaration())
        function.addFnAttr("stackrealign");
    return true;
  }

  // LLVM's pipeline for code with calls of math functions, and what follows it.
  void optimise(llvm::Module &module, Effort effort, const CodeOptions &options) const override {
    if (effort != Effort::None)
      addVectorVariants(module);
    kiln::optimise(module, *this, effort, options.observer);
    lowerDynamicExtracts(module);
    wideIntegersToShuffles(module);
    linkMathFunctions(module, machine());
    if (!machine().getMCSubtargetInfo()->checkFeatures("+avx512f"))
      widenMasks(module);
    if (effort != Effort::None) {
      estimateQuotients(module, machine());
      extractLanesViaStack(module);
    }
    dropNontemporalHints(module);
  }
  void extendPipeline(llvm::PassBuilder &builder) const override {
    builder.registerVectorizerStartEPCallback(
        [](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) { passes.addPass(DisableRuntimeUnrollPass()); });
    builder.registerOptimizerLastEPCallback(
        [](llvm::ModulePassManager &passes, llvm::OptimizationLevel level, llvm::ThinOrFullLTOPhase) {
          if (level == llvm::OptimizationLevel::O0) // quick code, and code for debuggers
            return;
          llvm::FunctionPassManager each;
          each.addPass(ForwardStoresPass());
          each.addPass(llvm::DSEPass()); // stores that were read only by what is forwarded
          each.addPass(llvm::LoopSimplifyPass());
          each.addPass(PrefetchStridesPass());
          passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(each)));
        });
  }
  void prepareCodeGeneration(llvm::Module &module, Effort effort) const override {
    if (effort == Effort::Full)
      reduceSmallLoops(module, machine());
    splitLongBlocks(module);
  }
  // The options after the first are for CPUs only, because the code generators of GPUs rely on what they switch off.
  // Those for large functions switch off parts that take O(n^2): scheduling, block placement, and splitting of live
  // ranges through many blocks.
  std::vector<LlvmOption> llvmOptions(const llvm::Module &module, Effort effort) const override {
    std::vector<LlvmOption> options = {
        {"pragma-unroll-threshold", "4000"}, // instructions; LLVM's default is 16,384
        {"disable-lsr", "true"},             // reduceSmallLoops takes its place
    };
    // Scheduling takes O(n^2) in a block's instructions. Quick code is as fast without it: VkFFT's kernels, 24
    // transforms on a Sapphire Rapids, 12.6 and 12.4 ms.
    if (effort == Effort::Quick || hasLargeFunction(module))
      options.push_back({"enable-misched", "false"});
    if (hasLargeFunction(module))
      options.push_back({"twoaddr-reschedule", "false"}); // scans a block for each instruction with a tied operand
    if (hasLongBlock(module))
      options.push_back({"disable-cgp", "true"}); // it would join the parts of the block
    const size_t blocks = mostBlocks(module);
    if (blocks > MaxBlocksToMerge || mergesManyValues(module))
      options.push_back({"join-liveintervals", "false"});
    if (blocks > MaxBlocks)
      llvm::append_range(options, std::initializer_list<LlvmOption>{{"disable-block-placement", "true"},
                                                                    {"large-interval-freq-threshold", "32"},
                                                                    {"grow-region-complexity-budget", "1000"}});
    if (blocks > MaxBlocksToMerge)
      llvm::append_range(options, std::initializer_list<LlvmOption>{{"disable-branch-fold", "true"},
                                                                    {"disable-machine-cse", "true"},
                                                                    {"disable-machine-licm", "true"}});
    return options;
  }
  bool hasEffortPerKernel() const override { return true; }

  std::vector<uint8_t> finish(llvm::Module &module, llvm::ArrayRef<EntryCode> entries, const CodeOptions &,
                              std::string &error) const override {
    std::vector<Object> objects = compileInParallel(module, *this, entries);
    for (const Object &object : objects)
      if (const uint64_t bytes = largestStackFrame(object); bytes > abi::MaxCpuFrame) {
        error = "a kernel's stack frame has " + std::to_string(bytes) + " bytes, must have at most " +
                std::to_string(abi::MaxCpuFrame) + ": too many values are live at the same time";
        return {};
      }
    llvm::SmallVector<llvm::ArrayRef<char>> inputs(objects.begin(), objects.end());
    inputs.push_back({kiln_cpu_support_begin, kiln_cpu_support_end});
    return linkSharedObject(inputs, {"--hash-style=gnu", "-z", "noexecstack"}, error);
  }

private:
  const llvm::MCSubtargetInfo &processor() const { return *machine().getMCSubtargetInfo(); }
};
} // namespace

std::unique_ptr<Target> createCpuTarget(const std::string &name, std::string &error) {
  static bool initialised = (llvm::InitializeNativeTarget(), llvm::InitializeNativeTargetAsmPrinter(), true);
  (void)initialised;
  std::string processor = name, features;
  if (name.empty()) {
    processor = llvm::sys::getHostCPUName().str();
    for (auto &[feature, present] : llvm::sys::getHostCPUFeatures())
      features += (features.empty() ? "" : ",") + std::string(present ? "+" : "-") + feature.str();
  }
  auto machine = createMachine(llvm::sys::getDefaultTargetTriple(), processor, features, llvm::Reloc::PIC_, error);
  if (!machine)
    return nullptr;
  machine->Options.EmitStackSizeSection = true;
  return std::make_unique<CpuTarget>(std::move(machine));
}

} // namespace kiln
