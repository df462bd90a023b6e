// The layout of a slot: memory for a value of every work-item.
#pragma once
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace kiln {

/// Bytes from one work-item's element of a slot to the next one's.
inline uint64_t slotStride(const mlir::DataLayout &layout, mlir::Type element) {
  if (element.isInteger(1))
    return 1; // an i1 is a byte
  return llvm::alignTo(layout.getTypeSize(element).getFixedValue(), layout.getTypeABIAlignment(element));
}

} // namespace kiln
