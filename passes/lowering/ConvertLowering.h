// Lowers `ocl.convert` to arithmetic that every target has.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Builders.h"

namespace kiln {

/// Returns the converted value, computed before `op`. `roundsToInt`: the target's conversions from floating point to
/// integers can round to nearest, not only towards zero.
mlir::Value lowerConvert(ocl::ConvertOp op, mlir::OpBuilder &builder, bool roundsToInt);

} // namespace kiln
