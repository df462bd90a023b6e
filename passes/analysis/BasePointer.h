// The pointer that address arithmetic started from.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kiln {

/// Follows llvm.getelementptr and llvm.addrspacecast back to a value that is neither.
inline mlir::Value basePointer(mlir::Value pointer) {
  for (;;) {
    if (auto step = pointer.getDefiningOp<mlir::LLVM::GEPOp>())
      pointer = step.getBase();
    else if (auto cast = pointer.getDefiningOp<mlir::LLVM::AddrSpaceCastOp>())
      pointer = cast.getArg();
    else
      return pointer;
  }
}

} // namespace kiln
