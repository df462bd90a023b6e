// `ocl.convert` as arithmetic that every target has.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Builders.h"

namespace kiln {

/// The converted value, computed before `op`.
mlir::Value lowerConvert(ocl::ConvertOp op, mlir::OpBuilder &builder);

} // namespace kiln
