// Read-modify-write operations that LLVM's NVPTX back end would weaken.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Builders.h"

namespace kiln::gpu {

/// The old value of an operation that has to be written as assembly, or null where LLVM's own operation does.
mlir::Value nvptxAtomic(mlir::OpBuilder &b, ocl::AtomicRmwOp op);

} // namespace kiln::gpu
