// Counters that the front end widens for a sum and narrows again.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace kiln {

/// `trunc(extend(x) + y)`, where x has the type again, becomes `x + trunc(y)`: so a number that rises from lane to lane
/// is seen to do so, whether or not it wraps around.
void populateNarrowSums(mlir::RewritePatternSet &patterns);

} // namespace kiln
