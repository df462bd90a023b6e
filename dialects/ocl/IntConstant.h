// Emits integer constants. LLVM 21's ConstantIntOp has no `create` that takes the value as a number.
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kiln {

/// Emits `value` as a constant of `width` bits.
inline mlir::Value intConstant(mlir::OpBuilder &builder, mlir::Location loc, int64_t value, unsigned width) {
  return mlir::arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(builder.getIntegerType(width), value));
}
inline mlir::Value intConstant(mlir::ImplicitLocOpBuilder &builder, int64_t value, unsigned width) {
  return intConstant(builder, builder.getLoc(), value, width);
}

} // namespace kiln
