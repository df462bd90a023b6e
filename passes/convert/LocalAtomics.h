// Atomics on local memory, on a target where a work-group has one thread.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Builders.h"

namespace kiln {

/// The old value, read, changed and written by plain accesses.
mlir::Value lowerLocalAtomic(ocl::AtomicRmwOp op, mlir::OpBuilder &builder);
mlir::Value lowerLocalAtomic(ocl::AtomicCmpXchgOp op, mlir::OpBuilder &builder);

} // namespace kiln
