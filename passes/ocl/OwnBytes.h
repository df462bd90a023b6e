// Which accesses of arguments are no part of a race, because no two work-items share their bytes.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/ocl/PointerAccesses.h"
#include "llvm/ADT/DenseMap.h"

namespace kiln {

/// Finds accesses of global memory that are no part of a race in some launches. Returns an i1 for each, which is true
/// in a launch where the access may be part of one; emits these at the start of the kernel. `accesses`: all of the
/// kernel to global and local memory.
llvm::DenseMap<mlir::OpOperand *, mlir::Value>
sharedInSomeLaunches(mlir::func::FuncOp kernel, llvm::ArrayRef<PointerAccess> accesses, const mlir::DataLayout &layout);

} // namespace kiln
