// Loads from arrays of constants in global variables.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/analysis/LinearAddress.h"

namespace kiln {

/// Returns the constant array of numbers that a load reads an element of, at any index; null for other loads.
mlir::LLVM::GlobalOp constantTableOf(mlir::LLVM::LoadOp load, const mlir::DataLayout &layout);

/// Returns the number that a load reads from a constant array, if its address is a constant distance from the array and
/// in it; null for other loads.
mlir::TypedAttr constantElementOf(mlir::LLVM::LoadOp load, const mlir::DataLayout &layout);

} // namespace kiln
