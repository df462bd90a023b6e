#include "backends/cuda/codegen/NvptxTarget.h"
#include "backends/cuda/codegen/RelaxPrecision.h"
#include "backends/cuda/codegen/SplitShortSums.h"
#include "backends/gpu/codegen/GpuTarget.h"
#include "backends/gpu/codegen/MathLibrary.h"
#include "llvm/Support/TargetSelect.h"

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

class NvptxTarget : public GpuTarget {
public:
  using GpuTarget::GpuTarget;

  void optimise(llvm::Module &module, Effort effort, const CodeOptions &options) const override {
    GpuTarget::optimise(module, effort, options);
    if (!options.correctlyRounded)
      relaxPrecision(module);
    splitShortSums(module);
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

private:
  llvm::StringRef kind() const override { return "nvptx"; }
  unsigned subGroupSize() const override { return WarpSize; }
  llvm::StringRef mathLibrary() const override { return nvptxMathLibrary(); }
};
} // namespace

std::unique_ptr<Target> createNvptxTarget(const std::string &name, std::string &error) {
  static bool initialised = (LLVMInitializeNVPTXTargetInfo(), LLVMInitializeNVPTXTarget(),
                             LLVMInitializeNVPTXTargetMC(), LLVMInitializeNVPTXAsmPrinter(), true);
  (void)initialised;
  llvm::StringRef number = name;
  unsigned version = 0;
  if (!number.consume_front("sm_") || number.consumeInteger(10, version) || version < OldestProcessor) {
    error = "'" + name + "' is no processor that Kiln has code for: it must be sm_70 or newer";
    return nullptr;
  }
  // The first one that takes more than 4 KiB of parameters; newer processors have newer ones by themselves.
  auto machine = createMachine("nvptx64-nvidia-cuda", name, version < 100 ? "+ptx81" : "", llvm::Reloc::PIC_, error);
  return machine ? std::make_unique<NvptxTarget>(std::move(machine)) : nullptr;
}

} // namespace kiln
