// Rows along another dimension than x in which local linear ids rise by one, because the local size is 1 in the
// dimensions below: groups of 1 x 256 work-items are rows of 256. Global linear ids rise by more, as ids of other
// groups are between them.
#pragma once
#include "dialects/wg/Wg.h"

namespace kiln {

/// Returns the lowest dimension in which a fixed local size is above 1; 0 if there is none, or the size is not fixed.
unsigned lowestLongDimension(llvm::ArrayRef<int64_t> localSize);

/// Returns true if the local linear id of a work-item is that of its neighbour in the row plus one: always if rows are
/// along x. Then slots and local linear ids differ between lanes as along x, and work-items of a row run in the order
/// of linear ids.
bool hasLinearRows(wg::ParallelOp region);

bool queriesGlobalLinearId(mlir::Region &body);

} // namespace kiln
