// A control flow graph as structured control flow.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace kiln {

/// Makes `body`, a part of `owner`, one block of scf operations. Upstream does it, for irreducible graphs too, in a
/// time that grows with the square of the blocks; what the program says of unrolling its loops is kept. False: it
/// cannot be.
bool liftFlow(mlir::Region &body, mlir::Operation *owner);

/// For whoever applies patterns to such loops: MLIR's make many of them anew, and say nothing of unrolling then.
mlir::RewriterBase::Listener *unrollHintKeeper();

} // namespace kiln
