// Which functions of a module others need.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

namespace kiln {

/// The functions `roots`, and all that they name directly or through other functions: those that they call, and those
/// whose names are in an attribute.
llvm::DenseSet<mlir::Operation *> reachable(mlir::ModuleOp module, llvm::ArrayRef<mlir::func::FuncOp> roots);

} // namespace kiln
