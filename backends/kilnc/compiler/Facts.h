// What the runtime must know of a program's kernels, read off the IR.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/compiler/ProgramInfo.h"

namespace kiln {

/// Names, arguments and attributes: from a kernel in `ocl` form behind the common passes.
KernelInfo kernelFacts(mlir::func::FuncOp kernel);

/// The block of variables, which this takes off the module; empty where there is none.
ProgramVariables takeVariableFacts(mlir::ModuleOp module);
PrintfTables takePrintfFacts(mlir::ModuleOp module);

/// A kernel with a required local size takes no larger group.
void limitToRequiredSize(KernelInfo &info);

} // namespace kiln
