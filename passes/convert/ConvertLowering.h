// `ocl.convert` as arithmetic that every target has.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Builders.h"

namespace kiln {

/// The converted value, computed before `op`. `roundsToInt`: conversions from floats to integers can round to the
/// nearest, not only towards zero.
mlir::Value lowerConvert(ocl::ConvertOp op, mlir::OpBuilder &builder, bool roundsToInt);

} // namespace kiln
