// Read-modify-write operations whose order or scope LLVM's NVPTX back end would weaken.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Builders.h"

namespace kiln::gpu {

/// Lowers an atomic to inline assembly and returns the old value; null if LLVM's atomicrmw is correct.
mlir::Value nvptxAtomic(mlir::OpBuilder &b, ocl::AtomicRmwOp op);

} // namespace kiln::gpu
