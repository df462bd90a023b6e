// Whether all groups of a launch access local memory alike.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/ocl/PointerAccesses.h"

namespace kiln {

/// Returns true if all groups of one local size access local memory by the same work-items, at the same offsets, in the
/// same order between the same barriers. `accesses`: all of the kernel to global and local memory.
bool hasOneLocalPattern(mlir::func::FuncOp kernel, llvm::ArrayRef<PointerAccess> accesses);

} // namespace kiln
