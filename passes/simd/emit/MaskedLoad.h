#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kiln {

/// Emits a load of a vector whose inactive lanes are poison. (The parameter for their value has another type in LLVM
/// 21's builders with one parameter for each operand.)
inline mlir::Value maskedLoad(mlir::ImplicitLocOpBuilder &b, mlir::Type type, mlir::Value from, mlir::Value mask,
                              unsigned alignment) {
  return mlir::LLVM::MaskedLoadOp::create(b, mlir::TypeRange(type), mlir::ValueRange{from, mask},
                                          b.getNamedAttr("alignment", b.getI32IntegerAttr(int32_t(alignment))));
}

} // namespace kiln
