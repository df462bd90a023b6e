// Where a kernel's arguments lie in the argument block (KernelAbi.h).
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln {

struct ArgumentSlot {
  uint64_t offset, size, alignment;
};

/// What the address of a struct that the kernel is given is a multiple of: as its program says, or as its members have
/// it.
uint64_t structAlignment(mlir::func::FuncOp kernel, unsigned argument);

struct ArgumentLayout {
  explicit ArgumentLayout(mlir::func::FuncOp kernel);
  llvm::SmallVector<ArgumentSlot> slots;
  uint64_t bytes = 0;
};

} // namespace kiln
