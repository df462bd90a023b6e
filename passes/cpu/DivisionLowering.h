// Integer divisions of vectors.
#pragma once
#include "mlir/IR/Builders.h"

namespace kiln {

/// Computes a division or remainder of integer vectors, of at most 32 bits an element, by floating-point numbers.
/// Returns null for other operations, and for a constant divisor, by which LLVM multiplies.
mlir::Value lowerVectorDivision(mlir::Operation *op, mlir::OpBuilder &builder);

} // namespace kiln
