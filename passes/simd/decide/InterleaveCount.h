// The number of machine vectors per vector of work-items.
#pragma once
#include "passes/simd/decide/AccessGroups.h"

namespace kiln {

/// Interleave count. Returns 2 or 4 for short loops limited by the latency of a loop-carried dependence; 2 for short
/// loops with a varying exit condition; 2 for bodies in which nothing is scalarized and two copies
/// leave few values to spill; else 1.
unsigned interleaveCount(mlir::Region &body, const LaneShapes &shapes, const AccessGroups &groups,
                         const CpuTargetInfo &target, const mlir::DataLayout &layout);

/// Returns an upper bound, at least 2, of the work-items of a row that do anything: N if the whole body is guarded by
/// `local_id(rowDimension) < N` with a constant N, as in a tree reduction. UINT64_MAX if there is no such guard.
uint64_t activeItemBound(mlir::Region &body, unsigned rowDimension);

} // namespace kiln
