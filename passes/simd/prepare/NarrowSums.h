// Counters that the front end extends for an addition and truncates again.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace kiln {

/// Rewrites `trunc(extend(x) + y)` to `x + trunc(y)` if x has the result's type. The value is then known to be strided,
/// whether or not it wraps around. Legal because addition modulo 2^n depends on the low n bits only.
void populateNarrowSums(mlir::RewritePatternSet &patterns);

} // namespace kiln
