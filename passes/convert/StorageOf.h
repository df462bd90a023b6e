// What a slot must hold to stand for a private variable.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kiln {

/// A type of the variable's size whose natural alignment is the one that the variable asks for.
mlir::Type storageOf(mlir::LLVM::AllocaOp alloca);

} // namespace kiln
