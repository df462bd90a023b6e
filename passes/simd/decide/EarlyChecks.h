// Checks at the beginning of a vector body: before its first side effect, where all lanes are active and another body
// can still run the same work-items.
//
//   %left = arith.maxsi %x, %zero        %left = arith.maxsi %x0, %zero
//   scf.while (%i = %left) ...    ==>    scf.if (the first and the last lane are not below zero) {
//                                          scf.while (%i = %left) ... // one loop for all lanes: they differ by their
//                                          lane
//
// The shapes of values after such a check need no guard, so loops and branches may rest on it as well as addresses.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "passes/analysis/LaneShapes.h"

namespace kiln {

/// Returns true if `op` has no side effect, so that another body may execute it again.
bool isRepeatable(mlir::Operation *op);

/// Returns true if the branch contains every side effect of its block and has no else region: all work of the block
/// after its condition.
bool enclosesRestOfBlock(mlir::scf::IfOp branch);

/// Returns true if the first and the last of `lanes` lanes decide an ordered comparison. `strideOf`: the strides that
/// hold where it is evaluated.
bool isMonotonic(mlir::arith::CmpIOp comparison, const LaneShapes &shapes, unsigned lanes,
                 llvm::function_ref<std::optional<StrideInfo>(mlir::Value)> strideOf);

/// Returns the shapes of a body under `assumed`, with early checks of those guards that addresses, or conditions that
/// are uniform because of them, depend on. `conservative`: the shapes without assumptions.
LaneShapes withEarlyChecks(mlir::Region &body, unsigned lanes, const mlir::DataLayout &layout, Optimism assumed,
                           const LaneShapes &conservative);

} // namespace kiln
