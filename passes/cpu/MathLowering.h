// Lowers `ocl.math` for the CPU.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace kiln {

/// Returns the function's value, computed before `op`.
mlir::Value lowerMath(ocl::MathOp op, mlir::OpBuilder &builder);
/// Lowers a floating-point remainder, which LLVM would lower to a call of fmod, an undefined symbol.
mlir::Value lowerRemainder(mlir::arith::RemFOp op, mlir::OpBuilder &builder);

} // namespace kiln
