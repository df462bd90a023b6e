// Functions that are reachable from roots.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

namespace kiln {

/// The functions `roots` and all functions that they reference, directly or through others, by a call or an attribute.
llvm::DenseSet<mlir::Operation *> reachable(mlir::ModuleOp module, llvm::ArrayRef<mlir::func::FuncOp> roots);

} // namespace kiln
