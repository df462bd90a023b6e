// Atomics on local memory, on a target where one thread runs a work-group.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Builders.h"

namespace kiln {

/// Loads the old value, computes and stores the new one by plain accesses, and returns the old value.
mlir::Value lowerLocalAtomic(ocl::AtomicRmwOp op, mlir::OpBuilder &builder);
mlir::Value lowerLocalAtomic(ocl::AtomicCmpXchgOp op, mlir::OpBuilder &builder);

} // namespace kiln
