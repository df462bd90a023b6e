// What the runtime must know of a program's kernels, read off the IR.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "runtime/compiler/ProgramInfo.h"

namespace kiln {

/// Names, arguments and attributes: from a kernel in `ocl` form behind the common passes.
KernelInfo kernelFacts(mlir::func::FuncOp kernel);

/// Completes the plan from the lowered kernel function.
void addPlan(KernelInfo &info, mlir::LLVM::LLVMFuncOp function, unsigned vectorLanes);

} // namespace kiln
