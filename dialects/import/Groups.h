// Masks of lanes.
#pragma once
#include "dialects/import/Body.h"

namespace kiln::import {

enum class LaneMask { All, Equal, Less, LessEqual, Greater, GreaterEqual };

/// Returns an i128 of the lanes that compare to this work-item's lane as `which` says; bit n is lane n.
mlir::Value laneMask(Body &body, LaneMask which);
/// Returns the mask as a vector of four i32.
mlir::Value ballotOf(Body &body, mlir::Value bits);

} // namespace kiln::import
