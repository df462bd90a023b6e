// Arithmetic that other categories share.
#pragma once
#include "dialects/import/Body.h"

namespace kiln::import {

/// Defines the result of an instruction with two operands of one integer type.
mlir::LogicalResult integerBinary(Body &body, const Instruction &ins,
                                  llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> build);
/// As integerBinary, for float types.
mlir::LogicalResult floatBinary(Body &body, const Instruction &ins,
                                llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> build);
/// Returns the flags that the NoSignedWrap and NoUnsignedWrap decorations permit.
mlir::arith::IntegerOverflowFlags overflow(Body &body, const Instruction &ins);
mlir::Value dot(Body &body, mlir::Value a, mlir::Value b, mlir::arith::FastMathFlags fast);
/// Builds an ocl.math; its type is the first operand's unless `result` is set.
mlir::Value mathCall(Body &body, ocl::MathFn fn, mlir::ValueRange operands,
                     ocl::MathPrecision precision = ocl::MathPrecision::full, mlir::Type result = {});

} // namespace kiln::import
