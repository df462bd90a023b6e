// Unroll hints of loops (opencl_unroll_hint, OpLoopMerge's loop control).
#pragma once
#include "mlir/IR/Operation.h"

namespace kiln::ocl {

/// An LLVM::LoopAnnotationAttr on an operation that closes a loop: a branch back to its head, or an scf.while. The
/// lowering to LLVM keeps attributes of this name. It is a hint: a pass that rebuilds a loop may drop it.
inline constexpr llvm::StringLiteral UnrollHintAttr = "loop_annotation";

/// Copies the hint of the loop `from` to the loop `to`, which replaces it.
inline void keepUnrollHint(mlir::Operation *from, mlir::Operation *to) {
  if (mlir::Attribute hint = from->getDiscardableAttr(UnrollHintAttr))
    to->setDiscardableAttr(UnrollHintAttr, hint);
}

} // namespace kiln::ocl
