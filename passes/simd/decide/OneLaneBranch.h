// Branches that at most one lane of a vector takes: `if (local_id == n)`. In a tile with a halo, the work-items on its
// edges load the points around it.
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/analysis/LaneShapes.h"
#include "passes/simd/decide/AccessGroups.h"

namespace kiln {

struct OneLaneBranch {
  mlir::Value comparison;
  mlir::Value id, number; // its operands: rises by one from lane to lane, and uniform
};

/// Returns the comparison if at most one lane takes the branch, and a scalar copy of the branch can run for that lane:
/// it has no results and few operations, which access no private memory.
std::optional<OneLaneBranch> oneLaneBranch(mlir::scf::IfOp branch, const LaneShapes &shapes,
                                           const AccessGroups &groups);

} // namespace kiln
