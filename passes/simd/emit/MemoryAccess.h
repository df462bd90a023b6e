// A load or store of the scalar body, as the functions that emit accesses take it.
#pragma once
#include "mlir/IR/Value.h"

namespace kiln {

struct MemoryAccess {
  mlir::Value pointer; // of the scalar body
  mlir::Type type;     // what one work-item loads or stores
  unsigned alignment;  // in bytes, of one work-item's access
  mlir::Value mask;    // null: all lanes are active
};

} // namespace kiln
