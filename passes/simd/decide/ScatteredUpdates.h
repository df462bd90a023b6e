// Updates of memory at an address of each lane's own: `p[i]++`.
//
//   %old = llvm.load %p : i8                          for each lane: %old = llvm.load %p_n : i8
//   %new = arith.addi %old, %one : i8          ==>                   %new = arith.addi %old, %one : i8
//   llvm.store %new, %p : i8                                         llvm.store %new, %p_n : i8
//
// As vectors, each lane's element would be inserted into a vector by one instruction and extracted by another, and a
// gather waits for the stores of single elements before it. Legal because work-items that access one address without
// atomics are in a data race: the order of lanes does not matter.
#pragma once
#include "passes/simd/decide/AccessGroups.h"

namespace kiln {

struct ScatteredUpdate {
  mlir::LLVM::LoadOp load;
  llvm::SmallVector<mlir::Operation *, 4> operations; // from the load to the store, in their order
  mlir::LLVM::StoreOp store;
};

class ScatteredUpdates {
public:
  ScatteredUpdates(mlir::Region &region, const LaneShapes &shapes, const AccessGroups &groups);
  /// The update that a load, an operation or a store is a part of, or null.
  const ScatteredUpdate *of(mlir::Operation *op) const { return updateOf_.lookup(op); }

private:
  llvm::SmallVector<std::unique_ptr<ScatteredUpdate>> updates_;
  llvm::DenseMap<mlir::Operation *, const ScatteredUpdate *> updateOf_;
};

/// Returns true if all uses of an integer are addresses of scattered updates and of scattered stores of less than 32
/// bits: scalar code, for which lanes' indices should be scalars.
bool isIndexOfUpdates(mlir::Value index, const LaneShapes &shapes, const ScatteredUpdates &updates);

} // namespace kiln
