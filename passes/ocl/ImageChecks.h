// Lowers ocl.check_image to comparisons with the image's size, and a call of the runtime.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/lowering/CheckSites.h"

namespace kiln {

/// Emits the ids of the work-item, for a report.
using EmitIds = llvm::function_ref<llvm::SmallVector<mlir::Value, 3>(mlir::ImplicitLocOpBuilder &)>;

/// Lowers the checks of a kernel. Returns their number.
unsigned lowerImageChecks(mlir::func::FuncOp kernel, CheckSites &sites, EmitIds ids);
/// Removes the checks of a function that is called: it has no address of the launch.
void removeImageChecks(mlir::func::FuncOp function);

} // namespace kiln
