// Operations that only move the components of short vectors. In the SoA form they emit no code, except for dynamic
// indices and for casts to another number of components. Functions that return false have emitted nothing: the
// operation has another form, for example two indices.
#pragma once
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

bool widenExtract(VectorBody &body, mlir::vector::ExtractOp op);
bool widenInsert(VectorBody &body, mlir::vector::InsertOp op);
void widenFromElements(VectorBody &body, mlir::vector::FromElementsOp op);
bool widenBroadcast(VectorBody &body, mlir::vector::BroadcastOp op);
void widenShuffle(VectorBody &body, mlir::vector::ShuffleOp op);
/// Widens a cast with one operand and one result of the same size. Returns false for element-wise casts.
bool widenBitcast(VectorBody &body, mlir::Operation *op);

} // namespace kiln
