// Calls of functions that the code generator links or replaces.
#pragma once
#include "mlir/IR/Builders.h"

namespace kiln {

/// Calls a function without side effects, and declares it if the module has no declaration.
mlir::Value pureCall(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                     llvm::ArrayRef<mlir::Value> operands, mlir::Type type);

} // namespace kiln
