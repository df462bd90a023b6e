// Loads and stores. Finds for each one the cheapest of these: a scalar access, one vector access, a part of an access
// group, a permute load, an access by quads, and one scalar access per lane.
#pragma once
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

/// The accesses are not volatile.
void widenLoad(VectorBody &body, mlir::LLVM::LoadOp load, mlir::Value mask);
void widenStore(VectorBody &body, mlir::LLVM::StoreOp store, mlir::Value mask);

} // namespace kiln
