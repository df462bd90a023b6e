// Integer functions of OpenCL.std, as operations on operands of one integer type.
#pragma once
#include "dialects/import/Std.h"

namespace kiln::import {

mlir::Value integerFunction(Body &body, spv::Std fn, bool isSigned, llvm::ArrayRef<mlir::Value> in);
mlir::Value addSaturated(Body &body, mlir::Value x, mlir::Value y, bool isSigned);

} // namespace kiln::import
