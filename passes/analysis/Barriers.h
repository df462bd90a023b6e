// Functions and operations that contain a barrier.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

namespace kiln {

/// Caches its results per function: create a new one after the module changes.
class Barriers {
public:
  explicit Barriers(mlir::ModuleOp module) : symbols_(module) {}
  /// Returns true if `op`, or a function that it calls, contains a barrier or a collective. Recursive calls count as
  /// containing none.
  bool contains(mlir::Operation *op);

private:
  mlir::SymbolTable symbols_;
  llvm::DenseMap<mlir::Operation *, bool> functions_;
};

} // namespace kiln
