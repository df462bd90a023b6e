// The dimension of a region's rows: the work-items that a vector runs, and that scalar code runs one after the other.
//
//   int x = get_global_id(0), y = get_global_id(1);
//   a[x * n + y] -= m[x * n] * a[y];      // along x: one access per lane; along y: vector accesses
//
// The CPU runs work-items of a region in any order, so any dimension may be the innermost. Rows are along x unless the
// body costs clearly less along another one: kernels that take x for the row of a matrix and y for its column.
#pragma once
#include "dialects/wg/Wg.h"
#include "passes/target/CpuTargetInfo.h"

namespace kiln {

/// Returns true if rows may be along another dimension than x: the region queries ids of such a dimension, and nothing
/// in it follows the order of linear ids (slots, linear queries, jammed rows, atomics).
bool canChooseRowDimension(wg::ParallelOp region);

/// Chooses the dimension for a region that `canChooseRowDimension` accepts and whose control flow is structured.
/// `localSize`: that of the kernel's groups; if empty, the runtime chooses one with long rows. `lanes`: work-items per
/// vector in a long row. Leaves the region's own dimension as it was.
unsigned chooseRowDimension(wg::ParallelOp region, llvm::ArrayRef<int64_t> localSize, unsigned lanes,
                            const CpuTargetInfo &target);

} // namespace kiln
