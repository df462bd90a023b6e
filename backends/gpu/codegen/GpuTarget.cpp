#include "backends/gpu/codegen/GpuTarget.h"
#include "backends/gpu/codegen/Contract.h"
#include "backends/gpu/codegen/MathLibrary.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "passes/Pipelines.h"
#include "passes/gpu/GpuTargetInfo.h"

namespace kiln {

void GpuTarget::addCommonPasses(mlir::OpPassManager &passes) const { addGpuCommonPasses(passes); }

void GpuTarget::addLoweringPasses(mlir::OpPassManager &passes, const TargetVariant &variant) const {
  addGpuPasses(passes, {kind().str(), subGroupSize(), variant.localSize, variant.suffix});
}

void GpuTarget::completePlan(KernelInfo &info, mlir::LLVM::LLVMFuncOp function) const {
  KernelPlan &plan = info.plan;
  plan.subGroupSize = plan.preferredMultiple = subGroupSize();
  plan.maxWorkGroupSize = gpu::MaxGroupSize;
  plan.staticLocalBytes = plannedNumber(function, "static_local_bytes");
  plan.privateBytes = plannedNumber(function, "private_bytes");
  plan.prints = plannedNumber(function, "prints");
  plan.enqueues = plannedNumber(function, "enqueues");
}

bool GpuTarget::prepare(llvm::Module &module, const CodeOptions &options, std::string &error) const {
  if (!linkMathLibrary(module, mathLibrary(), error))
    return false;
  setProcessor(module, machine());
  if (options.denormalsAreZero)
    for (llvm::Function &function : module)
      if (!function.isDeclaration())
        function.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
  return true;
}

void GpuTarget::optimise(llvm::Module &module, Effort effort, const CodeOptions &options) const {
  contract(module);
  kiln::optimise(module, machine(), effort, [](llvm::PassBuilder &builder) {
    // `a && b` is one branch where b costs a few instructions: work-items that part ways cost more. Before anything
    // else shares those instructions, or takes a loop of two exits for granted.
    builder.registerPipelineStartEPCallback([](llvm::ModulePassManager &passes, llvm::OptimizationLevel level) {
      if (level != llvm::OptimizationLevel::O0)
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(
            llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().bonusInstThreshold(8))));
    });
  });
}

Effort GpuTarget::leastEffort(llvm::ArrayRef<EntryCode> entries) {
  Effort least = Effort::Full;
  for (const EntryCode &entry : entries)
    least = std::min(least, entry.effort);
  return least;
}

} // namespace kiln
