// `ocl.math` on the CPU.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace kiln {

/// The function's value, computed before `op`, which stands in a kernel function with the signature of abi::CpuEntry.
mlir::Value lowerMath(ocl::MathOp op, mlir::OpBuilder &builder);
/// The remainder of a floating-point division, which LLVM would turn into a call of an unknown symbol.
mlir::Value lowerRemainder(mlir::arith::RemFOp op, mlir::OpBuilder &builder);

} // namespace kiln
