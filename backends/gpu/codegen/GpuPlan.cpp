#include "backends/gpu/codegen/GpuPlan.h"
#include "backends/llvm/Target.h"
#include "passes/gpu/Hardware.h"

namespace kiln {

void completeGpuPlan(KernelInfo &info, mlir::LLVM::LLVMFuncOp function, unsigned subGroupSize) {
  Plan &plan = info.plan;
  plan.subGroupSize = plan.preferredMultiple = subGroupSize;
  plan.maxWorkGroupSize = gpu::MaxGroupSize;
  plan.staticLocalBytes = plannedNumber(function, "static_local_bytes");
  plan.privateBytes = plannedNumber(function, "private_bytes");
}

void flushDenormals(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
}

} // namespace kiln
