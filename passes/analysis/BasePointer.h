// The pointer that address arithmetic started from.
#pragma once
#include "dialects/ocl/Ocl.h"

namespace kiln {

/// Follows llvm.getelementptr, llvm.addrspacecast and ocl.check_access back to a value that is none of them. A wrong
/// access is redirected to memory of the runtime, so it accesses no other object.
inline mlir::Value basePointer(mlir::Value pointer) {
  for (;;) {
    if (auto step = pointer.getDefiningOp<mlir::LLVM::GEPOp>())
      pointer = step.getBase();
    else if (auto cast = pointer.getDefiningOp<mlir::LLVM::AddrSpaceCastOp>())
      pointer = cast.getArg();
    else if (auto check = pointer.getDefiningOp<ocl::CheckAccessOp>())
      pointer = check.getPointer();
    else
      return pointer;
  }
}

/// The pointer of an access before its check, for analyses that compare addresses. Code must not use it: the check may
/// redirect the access.
inline mlir::Value uncheckedPointer(mlir::Value pointer) {
  auto check = pointer.getDefiningOp<ocl::CheckAccessOp>();
  return check ? check.getPointer() : pointer;
}

} // namespace kiln
