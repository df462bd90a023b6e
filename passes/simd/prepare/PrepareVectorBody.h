// Prepares a copy of a region's body for `emitVectorBody`: structured control flow.
#pragma once
#include "dialects/wg/Wg.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace kiln {

/// Lifts the body from a control flow graph to `scf.if` and `scf.while`. Returns null, or the reason why it cannot.
/// `simplify`: the dialects' patterns. `finish`: the same and those that expect loops in their last form.
const char *structurizeBody(wg::ParallelOp region, const mlir::FrozenRewritePatternSet &simplify,
                            const mlir::FrozenRewritePatternSet &finish);

} // namespace kiln
