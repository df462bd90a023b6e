// Calls of the runtime by which it learns where a group is, in kernels whose accesses are tracked (KILN_CHECK=races).
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kiln {

/// At the insertion point, which is between regions: all work-items of the group have reached a barrier.
void trackBarrier(mlir::ImplicitLocOpBuilder &b, ocl::Fence fence, ocl::Scope scope = ocl::Scope::work_group);
/// At the start of a kernel that is split into regions: a group begins.
void trackGroup(mlir::func::FuncOp kernel);

} // namespace kiln
