#pragma once
#include "mlir/IR/DialectRegistry.h"

namespace kiln {

/// Makes convert-to-llvm lower `vector.broadcast` from a scalar to any vector. LLVM 21 lowers only `vector.splat`.
void registerBroadcastToLlvm(mlir::DialectRegistry &registry);

} // namespace kiln
