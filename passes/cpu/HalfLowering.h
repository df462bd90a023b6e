// Half precision on processors that only convert halves.
#pragma once
#include "dialects/ocl/Ocl.h"

namespace kiln {

/// Computes an operation on halves that LLVM would lower to a call of the C library in a wider type. Returns null for
/// other operations.
mlir::Value lowerHalf(mlir::Operation *op, mlir::OpBuilder &builder);

} // namespace kiln
