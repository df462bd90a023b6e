// Lowers `ocl::CombiningKind` to arith.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Builders.h"

namespace kiln {

/// The identity element: combined with it, every value is unchanged.
mlir::Value identityValue(mlir::OpBuilder &b, mlir::Location loc, ocl::CombiningKind kind, mlir::Type type);
mlir::Value combine(mlir::OpBuilder &b, mlir::Location loc, ocl::CombiningKind kind, mlir::Value x, mlir::Value y);

} // namespace kiln
