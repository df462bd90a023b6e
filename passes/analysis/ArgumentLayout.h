// The offsets of a kernel's arguments in the argument block (KernelAbi.h).
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln {

struct ArgumentSlot {
  uint64_t offset, size, alignment;
};

struct ArgumentLayout {
  explicit ArgumentLayout(mlir::func::FuncOp kernel);
  llvm::SmallVector<ArgumentSlot> slots;
  uint64_t bytes = 0;
};

} // namespace kiln
