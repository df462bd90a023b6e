// Numbers of components, integer widths and shift counts.
#pragma once
#include "dialects/import/Body.h"

namespace kiln::import {

/// Returns the number of a vector's components; 1 for a scalar.
int64_t components(mlir::Type type);
/// Zero-extends or truncates an integer scalar or vector.
mlir::Value resize(Body &body, mlir::Value value, mlir::Type type);
/// Converts a shift count to `type` and masks it to the width.
mlir::Value mask(Body &body, mlir::Value count, mlir::Type type);

} // namespace kiln::import
