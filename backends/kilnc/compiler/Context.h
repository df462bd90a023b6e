// The MLIR context of a compiler process. The zygote loads it once. It forks a process for each build, which inherits
// the context.
#pragma once
#include "mlir/IR/MLIRContext.h"

namespace kiln {

/// Has all dialects of Kiln, and those that its passes and the translation to LLVM IR use.
mlir::MLIRContext &compilerContext();

} // namespace kiln
