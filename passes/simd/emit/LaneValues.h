// Computes vectors and lanes of a value of the scalar body from what the vector body has of it.
#pragma once
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

/// The vectors of a uniform or strided value, at the insertion point: lane 0's value plus multiples of the stride, or
/// what each lane computes if the value has guards that are not checked.
Vectors vectorsFromLane0(VectorBody &body, mlir::Value value);

/// Copies an operation with one result for all lanes. `kept`: all uses share the copy. Otherwise it is emitted here,
/// together with its operands that have guards. The copy has no poison-generating flags: it may run before the branch
/// that makes lanes active.
mlir::Value widenCopy(VectorBody &body, mlir::Operation *op, bool kept = true);

/// Computes each lane's value without guards, for the path on which a check fails. A value that loops and branches
/// carry has its lanes already.
mlir::Value recomputeHere(VectorBody &body, mlir::Value value);

/// One lane's value, at the insertion point.
mlir::Value laneOf(VectorBody &body, mlir::Value value, unsigned lane);

/// One lane of strided addresses.
mlir::Value stridedAddress(VectorBody &body, mlir::Value pointer, const StrideInfo &info, unsigned lane);

} // namespace kiln
