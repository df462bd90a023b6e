#include "backends/gpu/codegen/GpuPlan.h"
#include "passes/gpu/Hardware.h"

namespace kiln {

void completeGpuPlan(KernelInfo &info, mlir::LLVM::LLVMFuncOp function, unsigned subGroupSize) {
  Plan &plan = info.plan;
  plan.subGroupSize = plan.preferredMultiple = subGroupSize;
  plan.maxWorkGroupSize = gpu::MaxGroupSize;
  plan.staticLocalBytes = plannedNumber(function, "static_local_bytes");
  plan.privateBytes = plannedNumber(function, "private_bytes");
}

Effort leastEffort(llvm::ArrayRef<EntryCode> entries) {
  Effort least = Effort::Full;
  for (const EntryCode &entry : entries)
    least = std::min(least, entry.effort);
  return least;
}

void flushDenormals(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
}

} // namespace kiln
