// Half precision on processors that only convert it.
#pragma once
#include "dialects/ocl/Ocl.h"

namespace kiln {

/// The value of an operation on half precision that LLVM would turn into a call of the C library, computed in a wider
/// type; null where `op` is none of those.
mlir::Value lowerHalf(mlir::Operation *op, mlir::OpBuilder &builder);

} // namespace kiln
