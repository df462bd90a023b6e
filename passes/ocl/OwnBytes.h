// Which arguments have bytes that only one work-item accesses.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/ocl/PointerAccesses.h"
#include "llvm/ADT/DenseSet.h"

namespace kiln {

/// Returns the pointer arguments of a kernel whose bytes no two work-items share in a launch that has one dimension and
/// no other argument with the same memory. `accesses`: all of the kernel to global and local memory.
llvm::DenseSet<mlir::BlockArgument>
argumentsOfOwnBytes(mlir::func::FuncOp kernel, llvm::ArrayRef<PointerAccess> accesses, const mlir::DataLayout &layout);

} // namespace kiln
