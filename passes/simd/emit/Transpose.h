// Moves elements between lanes and components by shuffles of two vectors each.
//
//   rows, one for each lane       columns, one for each component
//   a0 b0 c0 d0                   a0 a1 a2 a3
//   a1 b1 c1 d1         <==>      b0 b1 b2 b3         interleaved: a0 b0 c0 d0 a1 b1 c1 d1 ...
//   a2 b2 c2 d2                   c0 c1 c2 c3
//   a3 b3 c3 d3                   d0 d1 d2 d3
#pragma once
#include "passes/simd/emit/VectorBuilder.h"

namespace kiln {

/// Takes the columns, and returns one vector that has each lane's components side by side.
mlir::Value interleave(VectorBuilder &b, llvm::ArrayRef<mlir::Value> columns);
/// Returns the `count` columns of such a vector.
Vectors deinterleave(VectorBuilder &b, mlir::Value interleaved, unsigned count);

/// Takes one row per lane, and returns the columns.
Vectors transposed(VectorBuilder &b, llvm::ArrayRef<mlir::Value> rows);
/// Takes the columns, whose number is a power of two, and returns one row per lane.
Vectors untransposed(VectorBuilder &b, llvm::ArrayRef<mlir::Value> columns);

} // namespace kiln
