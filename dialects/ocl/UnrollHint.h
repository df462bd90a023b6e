// How a program wishes a loop to be unrolled.
#pragma once
#include "mlir/IR/Operation.h"

namespace kiln::ocl {

/// An LLVM::LoopAnnotationAttr on an operation that closes a loop: a branch back to its head, or a scf.while. Lowering
/// to LLVM takes it along under this name. It is a hint: a pass that makes a loop anew may lose it.
inline constexpr llvm::StringLiteral UnrollHintAttr = "loop_annotation";

/// Says of a loop that takes another's place what the program said of that one.
inline void keepUnrollHint(mlir::Operation *from, mlir::Operation *to) {
  if (mlir::Attribute hint = from->getDiscardableAttr(UnrollHintAttr))
    to->setDiscardableAttr(UnrollHintAttr, hint);
}

} // namespace kiln::ocl
