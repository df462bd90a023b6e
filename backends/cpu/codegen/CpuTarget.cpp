#include "backends/cpu/codegen/CpuTarget.h"
#include "backends/KernelAbi.h"
#include "backends/cpu/codegen/Frames.h"
#include "backends/cpu/codegen/Parts.h"
#include "backends/llvm/LinkElf.h"
#include "passes/Pipelines.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

// Functions that LLVM's code generator takes for granted (support/), as an object file.
extern "C" const char kiln_cpu_support_begin[], kiln_cpu_support_end[];

namespace kiln {
namespace {

/// Lanes of 32 bits that the machine's vectors have: what a work-group size is best a multiple of.
unsigned vectorLanes(const llvm::TargetMachine &machine) {
  const llvm::MCSubtargetInfo &info = *machine.getMCSubtargetInfo();
  if (info.checkFeatures("+avx512f"))
    return 16;
  return info.checkFeatures("+avx2") ? 8 : 4;
}

class CpuTarget : public Target {
public:
  using Target::Target;

  void addCommonPasses(mlir::OpPassManager &passes) const override { kiln::addCommonPasses(passes); }
  std::vector<uint64_t> subGroupSizes() const override {
    return {std::begin(abi::CpuSubGroupSizes), std::end(abi::CpuSubGroupSizes)};
  }
  bool hasGroups() const override { return true; }
  void addWorkGroupPasses(mlir::OpPassManager &passes) const override { kiln::addWorkGroupPasses(passes); }
  void addLoweringPasses(mlir::OpPassManager &passes, const TargetVariant &variant) const override {
    const unsigned lanes = vectorLanes(machine()), vectorWidth = variant.vectorWidth ? variant.vectorWidth : lanes;
    const unsigned permuteTableSize = lanes > 4 ? 2 * lanes : 0; // AVX2 has vpermd
    addCpuPasses(passes, {variant.localSize, variant.suffix, variant.vectorize ? vectorWidth : 0,
                          /*hasMaskRegisters=*/lanes == 16, permuteTableSize, variant.report, variant.checkAssumptions});
  }

  void completePlan(KernelInfo &info, mlir::LLVM::LLVMFuncOp function) const override {
    KernelPlan &plan = info.plan;
    plan.preferredMultiple = std::max(vectorLanes(machine()), unsigned(plannedNumber(function, "best_multiple")));
    plan.subGroupSize = uint32_t(info.requiredSubGroupSize ? info.requiredSubGroupSize : abi::CpuSubGroupSize);
    plan.benefitsFromFixedLocalSize = plan.hasBarrier || plannedNumber(function, "wants_size");
    plan.dependsOnLocalSize = plannedNumber(function, "sees_groups");
    plan.prefersTiles = plannedNumber(function, "wants_tiles");
    plan.staticLocalBytes = plannedNumber(function, "static_local_bytes");
    plan.itemBytes = plannedNumber(function, "item_bytes"), plan.threadBytes = plannedNumber(function, "thread_bytes");
    plan.privateBytes = plannedNumber(function, "private_bytes");
    plan.prints = plannedNumber(function, "prints");
    plan.enqueues = plannedNumber(function, "enqueues");
    plan.maxWorkGroupSize = abi::MaxCpuGroupSize;
    if (plan.itemBytes)
      plan.maxWorkGroupSize = std::clamp<uint64_t>(abi::MaxItemsArea / plan.itemBytes, 1, abi::MaxCpuGroupSize);
  }

  bool prepare(llvm::Module &module, const CodeOptions &, std::string &) const override {
    setProcessor(module, machine());
    // Without it, whether vector spills are aligned depends on the caller's stack.
    for (llvm::Function &function : module)
      if (!function.isDeclaration())
        function.addFnAttr("stackrealign");
    return true;
  }

  void optimise(llvm::Module &module, Effort effort, const CodeOptions &) const override {
    optimiseKernels(module, machine(), effort);
  }

  std::vector<uint8_t> finish(llvm::Module &module, llvm::ArrayRef<EntryCode> entries, const CodeOptions &,
                              std::string &error) const override {
    std::vector<Object> objects = compileInParts(module, machine(), entries);
    for (const Object &object : objects)
      if (const uint64_t bytes = largestFrame(object); bytes > abi::MaxCpuFrame) {
        error = "a kernel has more values alive at the same time than a thread's stack has room for: they take " +
                std::to_string(bytes) + " bytes of at most " + std::to_string(abi::MaxCpuFrame);
        return {};
      }
    llvm::SmallVector<llvm::ArrayRef<char>> inputs(objects.begin(), objects.end());
    inputs.push_back({kiln_cpu_support_begin, kiln_cpu_support_end});
    return linkSharedObject(inputs, {"--hash-style=gnu", "-z", "noexecstack"}, error);
  }
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
