// Emits calls of LLVM's intrinsic functions that have no operation in a dialect.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kiln {

/// Calls the function `name`, without the types that LLVM appends to the names of overloaded ones. Returns its result.
inline mlir::Value callIntrinsic(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name, mlir::Type result,
                                 mlir::ValueRange operands) {
  return mlir::LLVM::CallIntrinsicOp::create(builder, loc, result, builder.getStringAttr(name), operands).getResult(0);
}
/// The same for a function without a result.
inline void callIntrinsic(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                          mlir::ValueRange operands) {
  mlir::LLVM::CallIntrinsicOp::create(builder, loc, builder.getStringAttr(name), operands);
}

} // namespace kiln
