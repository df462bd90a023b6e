// Loads whose addresses are consecutive in nearly every vector, but not provably: neighbours with a clamped index.
//
//   w = x > first ? x - 1 : first                 e = w[m] - m, m the middle lane
//   v = tile[w]                            ==>    if (w[n] == e + n for all active lanes n)
//                                                   v = load tile[e ...], masked
//                                                 else
//                                                   one load per lane
//
// The middle lane is the reference because clamps concern the first and the last lanes of a row, which are often
// inactive then, and hold anything. Legal without knowledge about the index: the check compares the index of each
// active lane, and only elements of active lanes are accessed. Loads that a permute can serve (WidenPermuteLoad) do not
// need this: these are loads under a mask, of objects of known size, of other than 32 bits, and for targets without
// permutes.
#pragma once
#include "passes/simd/emit/MemoryAccess.h"
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

/// Returns true if the load's addresses are probably consecutive.
bool isNearlyConsecutive(VectorBody &body, const MemoryAccess &access);

/// Emits the load. `scalarLoad` emits one load per lane.
mlir::Value loadNearlyConsecutive(VectorBody &body, const MemoryAccess &access,
                                  llvm::function_ref<mlir::Value()> scalarLoad);

} // namespace kiln
