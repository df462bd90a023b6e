// Values of work-items that live from one parallel region to another.
#pragma once
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln {

/// The region that computes a value; null where it is one of the group's.
wg::ParallelOp regionOf(mlir::Value value);

/// A slot, at the start of the kernel's entry block.
mlir::Value newSlot(mlir::Block *entry, mlir::Type type);

/// Moves a variable to a block's start; its size, a constant, goes along.
void moveToStart(mlir::LLVM::AllocaOp alloca, mlir::Block *block);

/// A private variable of one region that runs once becomes a variable there; any other gets a slot, which is noted.
void placeVariables(llvm::ArrayRef<mlir::LLVM::AllocaOp> variables, mlir::Block *entry,
                    llvm::DenseMap<mlir::Value, mlir::Value> &slots);

/// Gives every region its own way to what other regions compute: from a slot, or computed again where that is cheap.
/// `slots`: of values that live nowhere else.
void connectRegions(mlir::func::FuncOp kernel, mlir::Block *entry,
                    const llvm::DenseMap<mlir::Value, mlir::Value> &slots);

} // namespace kiln
