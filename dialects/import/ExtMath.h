// Functions of OpenCL.std with operands of one float type, which is the result's.
#pragma once
#include "dialects/import/Std.h"

namespace kiln::import {

using BuildUnary = llvm::function_ref<mlir::Value(mlir::Value)>;
using BuildBinary = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>;
using BuildTernary = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value, mlir::Value)>;

mlir::LogicalResult floatUnary(Body &body, const Instruction &ins, BuildUnary build);
mlir::LogicalResult extFloatBinary(Body &body, const Instruction &ins, BuildBinary build);
mlir::LogicalResult floatTernary(Body &body, const Instruction &ins, BuildTernary build);
/// Returns the integer type with a float type's width and shape.
mlir::Type bitsType(Body &body, mlir::Type type);

} // namespace kiln::import
