// Math functions that are formed from others, because the hardware makes them cheap or because the library's own are
// not what OpenCL asks for.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Builders.h"
#include "passes/gpu/Hardware.h"

namespace kiln::gpu {

/// A call of the library.
using LibraryCall = llvm::function_ref<mlir::Value(ocl::MathFn, llvm::ArrayRef<mlir::Value>, mlir::Type)>;

/// The value of a function of scalars in single or double precision, or null where the library's form serves.
mlir::Value formMath(mlir::OpBuilder &b, mlir::Location loc, const Hardware &hardware, LibraryCall library,
                     ocl::MathFn fn, llvm::ArrayRef<mlir::Value> operands, mlir::Type type);

} // namespace kiln::gpu
