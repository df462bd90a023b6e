// The MLIR context of a compiler process. Each build has a process of its own, and the zygote's children inherit the
// loaded context.
#pragma once
#include "mlir/IR/MLIRContext.h"

namespace kiln {

/// Has all dialects of Kiln, and those that its passes and the translation to LLVM IR use.
mlir::MLIRContext &compilerContext();

} // namespace kiln
