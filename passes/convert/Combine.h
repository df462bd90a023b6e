// What `ocl::Combiner` means, in arith.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Builders.h"

namespace kiln {

/// The value that leaves every other as it is.
mlir::Value neutralValue(mlir::OpBuilder &b, mlir::Location loc, ocl::Combiner combiner, mlir::Type type);
mlir::Value combine(mlir::OpBuilder &b, mlir::Location loc, ocl::Combiner combiner, mlir::Value x, mlir::Value y);

} // namespace kiln
