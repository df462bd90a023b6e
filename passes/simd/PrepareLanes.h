// Gives a copy of a region the form that vectors are made of: structured, and with arrays that keep lanes together.
#pragma once
#include "dialects/wg/Wg.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace kiln {

/// Lifts the body from a control flow graph to `scf.if` and `scf.while`. Null, or why that cannot be.
const char *structureBody(wg::ParallelOp region, const mlir::FrozenRewritePatternSet &simplify);

/// What the region's private variables take for one work-item.
uint64_t variableBytes(wg::ParallelOp region);

/// Gives private variables room for all lanes, and says in LaneStrideAttr how far from each other theirs lie. An array
/// all of whose accesses are of whole elements is laid out element by element, so that an access to the same element in
/// all lanes is one of consecutive memory; other variables follow one another lane by lane.
void layOutVariables(wg::ParallelOp region, unsigned lanes);

} // namespace kiln
