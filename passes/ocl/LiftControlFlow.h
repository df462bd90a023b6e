// Lifts a control flow graph to structured control flow.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace kiln {

/// Lifts `body`, a region of `owner`, to one block of scf operations. Uses upstream's transformation, which handles
/// irreducible graphs and takes O(n^2) time in the blocks, and keeps unroll hints of loops. Returns false if it fails.
bool liftControlFlow(mlir::Region &body, mlir::Operation *owner);

/// A listener for pattern drivers that keeps unroll hints: MLIR's patterns replace loops and drop their attributes.
mlir::RewriterBase::Listener *unrollHintListener();

} // namespace kiln
