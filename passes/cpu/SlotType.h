// The slot type for a private variable.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kiln {

/// A type of the variable's size and alignment.
mlir::Type slotTypeFor(mlir::LLVM::AllocaOp alloca);

} // namespace kiln
