// Expands math functions to other operations where instructions are faster than the library's function or where the
// library's function exceeds OpenCL's error bound.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Builders.h"
#include "passes/gpu/GpuTargetInfo.h"

namespace kiln::gpu {

/// Builds a call of the math library.
using LibraryCall = llvm::function_ref<mlir::Value(ocl::MathFn, llvm::ArrayRef<mlir::Value>, mlir::Type)>;

/// Expands a function of scalars in single or double precision; returns null if the library's function is used.
mlir::Value expandMath(mlir::OpBuilder &b, mlir::Location loc, const GpuTargetInfo &info, LibraryCall library,
                       ocl::MathFn fn, llvm::ArrayRef<mlir::Value> operands, mlir::Type type);

} // namespace kiln::gpu
