#include "backends/cuda/codegen/NvptxTarget.h"
#include "backends/cuda/codegen/AssemblePtx.h"
#include "backends/cuda/codegen/KeepNarrowIndices.h"
#include "backends/cuda/codegen/PackBytes.h"
#include "backends/cuda/codegen/RelaxPrecision.h"
#include "backends/cuda/codegen/ReplaceAssembly.h"
#include "backends/cuda/codegen/SeparateNarrowStores.h"
#include "backends/cuda/codegen/SplitShortSums.h"
#include "backends/cuda/codegen/WidenLoads.h"
#include "backends/cuda/codegen/WidenShortIntegers.h"
#include "backends/gpu/codegen/GpuTarget.h"
#include "backends/gpu/codegen/MathLibrary.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/Utils.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

extern "C" void LLVMInitializeNVPTXTarget();
extern "C" void LLVMInitializeNVPTXTargetInfo();
extern "C" void LLVMInitializeNVPTXTargetMC();
extern "C" void LLVMInitializeNVPTXAsmPrinter();

namespace kiln {
namespace {

constexpr unsigned WarpSize = 32;
// Volta: the first with the memory model that OpenCL's atomics need, and with independent thread scheduling.
constexpr unsigned MinProcessor = 70;

// PTX names have letters, digits and underscores. Renames internal symbols with other characters.
void makeNamesPlain(llvm::Module &module) {
  for (llvm::GlobalValue &value : module.global_values()) {
    if (!value.hasLocalLinkage())
      continue;
    std::string name = value.getName().str();
    for (char &c : name)
      if (!llvm::isAlnum(c) && c != '_')
        c = '_';
    // The prefix avoids a leading digit and reserved names.
    value.setName("__kiln_" + name);
  }
}

class NvptxTarget : public GpuTarget {
public:
  NvptxTarget(std::unique_ptr<llvm::TargetMachine> machine, unsigned version)
      : GpuTarget(std::move(machine)), version_(version) {}

  void optimise(llvm::Module &module, Effort effort, const CodeOptions &options) const override {
    replaceAssembly(module);
    GpuTarget::optimise(module, effort, options);
    if (!options.correctlyRounded)
      relaxPrecision(module);
    widenShortIntegers(module);
    splitShortSums(module);
    packBytes(module);
    makeNamesPlain(module);
  }
  void extendPipeline(llvm::PassBuilder &builder) const override {
    GpuTarget::extendPipeline(builder);
    // Behind full unrolling and in front of LLVM's partial unrolling.
    builder.registerVectorizerStartEPCallback([](llvm::FunctionPassManager &passes, llvm::OptimizationLevel level) {
      if (level == llvm::OptimizationLevel::O0)
        return;
      passes.addPass(llvm::LoopSimplifyPass());
      passes.addPass(llvm::LCSSAPass());
      passes.addPass(WidenLoadsPass());
    });
  }
  std::vector<LlvmOption> llvmOptions(const llvm::Module &, Effort) const override {
    return {
        // Loops with a dynamic trip count: as many copies as nvcc makes. LLVM's limits for NVPTX, 37 instructions and
        // eight copies, leave loops of 19 instructions as they are, and make short ones too long after ptxas has
        // unrolled them again.
        {"unroll-partial-threshold", "150"},
        {"unroll-max-count", "4"},
        // Loop strength reduction keeps a loop as it is if its solution is not cheaper. By default it replaces an index
        // by a pointer for each array, and the addition to a pointer is two instructions.
        {"lsr-drop-solution", "true"},
    };
  }
  llvm::SmallVector<InsertedPass> codeGeneratorPasses() const override {
    const std::unique_ptr<llvm::Pass> freeze(llvm::createCanonicalizeFreezeInLoopsPass()); // LoopStrengthReduce follows
    return {{freeze->getPassID(), createKeepNarrowIndicesPass()}};
  }
  void finishAssembly(llvm::SmallVectorImpl<char> &ptx) const override {
    const std::string separated = separateNarrowStores({ptx.data(), ptx.size()});
    ptx.assign(separated.begin(), separated.end());
  }

  llvm::StringRef assemblyFile() const override { return "5.ptx"; }
  bool hasObjects() const override { return false; }
  std::vector<uint8_t> finish(llvm::Module &module, llvm::ArrayRef<EntryCode> entries, const CodeOptions &options,
                              std::string &error) const override {
    optimise(module, leastEffort(entries), options);
    auto text = emit(module, *this, llvm::CodeGenFileType::AssemblyFile);
    return {text.begin(), text.end()};
  }
  Assembly assemble(const AssemblerInput &input) const override { return assemblePtx(input, machine().getTargetCPU()); }

private:
  ocl::TargetKind kind() const override { return ocl::TargetKind::nvptx; }
  unsigned subGroupSize() const override { return WarpSize; }
  ocl::TargetFeatures features() const override {
    ocl::TargetFeatures features;
    features.add(ocl::TargetFeature::Textures);
    features.add(ocl::TargetFeature::PartialBarriers);
    if (version_ >= 80)
      features.add(ocl::TargetFeature::ReduceInstruction);
    return features;
  }
  // The README has what they gain.
  bool gainsFromLocalSize() const override { return true; }
  llvm::StringRef mathLibrary() const override { return nvptxMathLibrary(); }

  unsigned version_; // of sm_<version>
};
} // namespace

std::unique_ptr<Target> createNvptxTarget(const std::string &name, std::string &error) {
  static bool initialised = (LLVMInitializeNVPTXTargetInfo(), LLVMInitializeNVPTXTarget(),
                             LLVMInitializeNVPTXTargetMC(), LLVMInitializeNVPTXAsmPrinter(), true);
  (void)initialised;
  llvm::StringRef number = name;
  unsigned version = 0;
  if (!number.consume_front("sm_") || number.consumeInteger(10, version) || version < MinProcessor) {
    error = "processor is '" + name + "', must be sm_70 or newer";
    return nullptr;
  }
  // The first PTX version with more than 4 KiB of parameters; newer processors default to newer versions.
  auto machine = createMachine("nvptx64-nvidia-cuda", name, version < 100 ? "+ptx81" : "", llvm::Reloc::PIC_, error);
  return machine ? std::make_unique<NvptxTarget>(std::move(machine), version) : nullptr;
}

} // namespace kiln
