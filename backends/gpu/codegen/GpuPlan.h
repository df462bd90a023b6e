// What the two GPU code generators decide alike.
#pragma once
#include "backends/llvm/Target.h"

namespace kiln {

void completeGpuPlan(KernelInfo &info, mlir::LLVM::LLVMFuncOp function, unsigned subGroupSize);

/// GPU code is made of the whole module at once: what all of its kernels deserve.
Effort leastEffort(llvm::ArrayRef<EntryCode> entries);

/// Single precision numbers below the normal ones become zero, in every function.
void flushDenormals(llvm::Module &module);

} // namespace kiln
