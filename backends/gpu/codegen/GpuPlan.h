// What the two GPU code generators decide alike.
#pragma once
#include "llvm/IR/Module.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "runtime/compiler/ProgramInfo.h"

namespace kiln {

void completeGpuPlan(KernelInfo &info, mlir::LLVM::LLVMFuncOp function, unsigned subGroupSize);

/// Single precision numbers below the normal ones become zero, in every function.
void flushDenormals(llvm::Module &module);

} // namespace kiln
