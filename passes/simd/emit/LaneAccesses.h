// Scalar accesses, one per lane. A hardware gather is slower on most processors.
#pragma once
#include "passes/simd/emit/MemoryAccess.h"
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

/// One scalar load per lane. `info`: the stride of the addresses; nothing if they vary.
Vectors gather(VectorBody &body, const MemoryAccess &access, const std::optional<StrideInfo> &info);
/// Stores in the order of the lanes: if several lanes store to one address, the last one wins, as in a scalar loop.
void scatter(VectorBody &body, const MemoryAccess &access, mlir::Value value, const std::optional<StrideInfo> &info);

/// Loads, changes and stores each lane's element (ScatteredUpdates). The store's mask.
void updateLanes(VectorBody &body, const ScatteredUpdate &update, unsigned alignment, mlir::Value mask);

/// As gather and scatter, by a loop over the active lanes: short code for the path on which a check of the addresses
/// fails. `addresses`: a vector.
Vectors loadInLoop(VectorBody &body, const MemoryAccess &access, mlir::Value addresses);
void storeInLoop(VectorBody &body, const MemoryAccess &access, mlir::Value addresses, mlir::Value value);

/// Emits a loop that runs `emit(lane, carried)` for each active lane: short code for rare paths. `carried`: the
/// loop-carried values, of which `emit` returns the next ones.
llvm::SmallVector<mlir::Value>
forEachLane(VectorBuilder &b, mlir::Value mask, mlir::ValueRange carried,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value lane, mlir::ValueRange carried)> emit);

} // namespace kiln
