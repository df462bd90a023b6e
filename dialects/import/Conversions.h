// Bit casts.
#pragma once
#include "dialects/import/Body.h"

namespace kiln::import {

/// Bit-casts between numbers, vectors and pointers. Returns null if the sizes differ.
mlir::Value bitcast(Body &body, mlir::Value value, mlir::Type type);

} // namespace kiln::import
