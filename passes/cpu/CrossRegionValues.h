// Values of work-items that live across parallel regions.
#pragma once
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln {

/// The region that computes a value; null for a group value.
wg::ParallelOp regionOf(mlir::Value value);

/// Creates a slot at the start of the kernel's entry block.
mlir::Value newSlot(mlir::Block *entry, mlir::Type type);

/// Moves a variable and its size, a constant, to a block's start.
void moveToStart(mlir::LLVM::AllocaOp alloca, mlir::Block *block);

/// Moves a private variable that only one region outside of loops uses into that region. Creates a slot for any other
/// one, and adds it to `slots`.
void placeVariables(llvm::ArrayRef<mlir::LLVM::AllocaOp> variables, mlir::Block *entry,
                    llvm::DenseMap<mlir::Value, mlir::Value> &slots);

/// Replaces each use of a value that another region computes by a load from a slot, or recomputes it if that is cheap.
/// `slots`: the slots of values that exist in a slot only.
void spillCrossRegionValues(mlir::func::FuncOp kernel, mlir::Block *entry,
                            const llvm::DenseMap<mlir::Value, mlir::Value> &slots);

} // namespace kiln
