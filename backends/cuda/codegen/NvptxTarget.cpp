#include "backends/cuda/codegen/NvptxTarget.h"
#include "backends/cuda/codegen/RelaxPrecision.h"
#include "backends/gpu/codegen/Contract.h"
#include "backends/gpu/codegen/GpuPlan.h"
#include "backends/gpu/codegen/MathLibrary.h"
#include "backends/llvm/Emit.h"
#include "llvm/Support/TargetSelect.h"
#include "passes/Pipelines.h"

extern "C" void LLVMInitializeNVPTXTarget();
extern "C" void LLVMInitializeNVPTXTargetInfo();
extern "C" void LLVMInitializeNVPTXTargetMC();
extern "C" void LLVMInitializeNVPTXAsmPrinter();

namespace kiln {
namespace {

constexpr unsigned WarpSize = 32;
// Volta: the first with the memory model that OpenCL's atomics need, and work-items of a warp that go their own ways.
constexpr unsigned OldestProcessor = 70;

// PTX has names of letters, digits and underscores. Names that only this module knows may be anything.
void makeNamesPlain(llvm::Module &module) {
  for (llvm::GlobalValue &value : module.global_values()) {
    if (!value.hasLocalLinkage())
      continue;
    std::string name = value.getName().str();
    for (char &c : name)
      if (!llvm::isAlnum(c) && c != '_')
        c = '_';
    // Names that start with a digit, or that PTX reserves, cannot come about behind a prefix.
    value.setName("__kiln_" + name);
  }
}

class NvptxTarget : public Target {
public:
  using Target::Target;

  void addCommonPasses(mlir::OpPassManager &passes) const override { addGpuCommonPasses(passes); }
  void addLoweringPasses(mlir::OpPassManager &passes, const TargetVariant &variant) const override {
    addGpuPasses(passes, {"nvptx", WarpSize, variant.localSize, variant.suffix});
  }
  void completePlan(KernelInfo &info, mlir::LLVM::LLVMFuncOp function) const override {
    completeGpuPlan(info, function, WarpSize);
  }

  bool prepare(llvm::Module &module, const CodeOptions &options, std::string &error) const override {
    contract(module);
    if (!linkMathLibrary(module, nvptxMathLibrary(), error))
      return false;
    setProcessor(module, machine());
    if (options.denormalsAreZero)
      flushDenormals(module);
    return true;
  }
  void optimise(llvm::Module &module, Effort effort, const CodeOptions &options) const override {
    Target::optimise(module, effort, options);
    if (!options.correctlyRounded)
      relaxPrecision(module);
    makeNamesPlain(module);
  }

  llvm::StringRef assemblyFile() const override { return "5.ptx"; }
  bool hasObjects() const override { return false; }
  std::vector<uint8_t> finish(llvm::Module &module, llvm::ArrayRef<EntryCode> entries, const CodeOptions &options,
                              std::string &error) const override {
    optimise(module, leastEffort(entries), options);
    auto text = emit(module, machine(), llvm::CodeGenFileType::AssemblyFile);
    return {text.begin(), text.end()};
  }
};
} // namespace

std::unique_ptr<Target> createNvptxTarget(const std::string &name, std::string &error) {
  static bool initialised = (LLVMInitializeNVPTXTargetInfo(), LLVMInitializeNVPTXTarget(), LLVMInitializeNVPTXTargetMC(),
                             LLVMInitializeNVPTXAsmPrinter(), true);
  (void)initialised;
  llvm::StringRef number = name;
  unsigned version = 0;
  if (!number.consume_front("sm_") || number.consumeInteger(10, version) || version < OldestProcessor) {
    error = "'" + name + "' is no processor that Kiln has code for: it must be sm_70 or newer";
    return nullptr;
  }
  auto machine = createMachine("nvptx64-nvidia-cuda", name, "", llvm::Reloc::PIC_, error);
  return machine ? std::make_unique<NvptxTarget>(std::move(machine)) : nullptr;
}

} // namespace kiln
