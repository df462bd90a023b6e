// Short vectors: OpenCL C's vectors of one work-item, as float4.
#pragma once
#include "mlir/IR/BuiltinTypes.h"

namespace kiln {

/// The number of components of a short vector; 1 for a scalar.
inline unsigned componentCount(mlir::Type type) {
  auto vector = mlir::dyn_cast<mlir::VectorType>(type);
  return vector ? unsigned(vector.getNumElements()) : 1;
}

} // namespace kiln
