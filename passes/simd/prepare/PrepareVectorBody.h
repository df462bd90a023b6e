// Prepares a copy of a region's body for `emitVectorBody`: structured control flow, and private arrays with one element
// per lane side by side.
#pragma once
#include "dialects/wg/Wg.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "passes/analysis/LaneShapes.h"

namespace kiln {

/// Lifts the body from a control flow graph to `scf.if` and `scf.while`. Returns null, or the reason why it cannot.
/// `simplify`: the dialects' patterns. `finish`: the same and those that expect loops in their last form.
const char *structurizeBody(wg::ParallelOp region, const mlir::FrozenRewritePatternSet &simplify,
                            const mlir::FrozenRewritePatternSet &finish);

/// The size of the region's private variables for one work-item.
uint64_t variableBytes(wg::ParallelOp region);

/// Allocates private variables for all lanes, and sets LaneStrideAttr to the bytes between two lanes' copies. An array
/// all of whose accesses are of whole elements is laid out element by element, so that an access to the same element in
/// all lanes is consecutive. So is one of short vectors component by component, if all lanes access the same elements
/// and the body's vectors are divided into their components; null `shapes` means that they are not. Other variables are
/// laid out lane by lane.
void layOutVariables(wg::ParallelOp region, unsigned lanes, const LaneShapes *shapes);

} // namespace kiln
