// Poison-generating flags: no overflow, in bounds, exact, no NaN, no infinity.
#pragma once
#include "mlir/IR/Operation.h"

namespace kiln {

/// Drops nsw/nuw, GEP no-wrap flags, `exact`, nnan and ninf from an operation that is hoisted out of a condition, or
/// that lane 0 executes for a masked vector. The flags hold only for the work-items that executed the original.
void dropPoisonGeneratingFlags(mlir::Operation *op);

} // namespace kiln
