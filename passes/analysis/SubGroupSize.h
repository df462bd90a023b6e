// The sub-group size of a kernel on the CPU.
#pragma once
#include "base/abi/KernelAbi.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln {

/// The size that the kernel requires, else abi::CpuSubGroupSize. `op`: the kernel or an operation in it.
inline int64_t cpuSubGroupSize(mlir::Operation *op) {
  auto kernel = llvm::dyn_cast<mlir::func::FuncOp>(op);
  if (!kernel)
    kernel = op->getParentOfType<mlir::func::FuncOp>();
  auto required = kernel ? kernel->getAttrOfType<mlir::IntegerAttr>(ocl::SubGroupSizeAttr) : mlir::IntegerAttr();
  return required ? required.getInt() : int64_t(abi::CpuSubGroupSize);
}

} // namespace kiln
