// Extracts the information for the runtime about a program's kernels from the IR.
#pragma once
#include "base/abi/ProgramInfo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln {

/// Extracts name, arguments and attributes from a kernel in the `ocl` dialect after the common passes.
KernelInfo extractKernelInfo(mlir::func::FuncOp kernel);

/// Extracts the block of program variables, and the printf tables, and removes them from the module. Empty if the
/// module has none.
ProgramVariables extractVariables(mlir::ModuleOp module);
PrintfTables extractPrintfTables(mlir::ModuleOp module);

/// Extracts the sites of a kernel's checks (KernelInfo::checkSites) and removes them from it.
std::vector<wire::Bytes> extractCheckSites(mlir::LLVM::LLVMFuncOp kernel);

/// Limits maxWorkGroupSize to a kernel's required local size or number of sub-groups.
void limitToRequiredSize(KernelInfo &info);

} // namespace kiln
