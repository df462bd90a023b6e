// Which functions, and which operations, make work-items wait for each other.
#pragma once
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace kiln {

/// Answers for one module as it is when asked first; make a new one after changes.
class Barriers {
public:
  explicit Barriers(mlir::ModuleOp module) : symbols_(module) {}
  /// Is there a barrier in `op`, or in what it calls, or something else that work-items do together, which makes them
  /// wait just so. Recursive calls count as having none.
  bool contains(mlir::Operation *op);

private:
  mlir::SymbolTable symbols_;
  llvm::DenseMap<mlir::Operation *, bool> functions_;
};

} // namespace kiln
