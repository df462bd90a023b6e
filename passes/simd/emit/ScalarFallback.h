// Falling back from vector code. If the lanes of a vector disagree about a guard, or a runtime check of an address
// fails, and no side effect has happened yet, the vector body skips the rest and reports `done = false` (true if no
// lane passes the guard). The fallback vector body (masked) or the scalar body then runs the same work-items. The rest
// of the body is nested in one scf.if:
//
//   %done:2 = scf.if %all -> (i1, i1) { ... } else { scf.yield %false, %more }
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln {
class VectorBody;

struct FallbackState {
  bool canFallBack = true;                            // no side effect has happened yet
  bool masksBounds = false;                           // a vector that straddles a bound is masked, not left
  llvm::SmallVector<mlir::scf::IfOp> openGuards = {}; // enclose the rest of the body
};

/// Two flags: the vector's work is done, and later vectors of the row may have work. Null: both are always true.
struct Progress {
  mlir::Value done = {}, more = {};
};

/// Returns true if the guards around the rest of the body contain two or more ordered comparisons that vary by lane
/// (`x > 0 && x < n - 1`, the interior of a stencil). Each row then has a vector that straddles each bound.
bool hasTwoSidedBounds(VectorBody &body);

/// If the branch encloses the rest of the body, and its condition is uniform or decided by the end lanes: emits the
/// branch's block and nests the rest of the body in a scalar branch. Otherwise returns false.
bool enterGuard(VectorBody &body, mlir::scf::IfOp branch);

/// Nests the rest of the body in a branch. `doneElse`, `moreElse`: the flags if the condition is false; null: false
/// and true.
void beginGuardedCode(VectorBody &body, mlir::Value condition, mlir::Value doneElse = {}, mlir::Value moreElse = {});
/// Ends all guarded code. The flags are null if there is none.
Progress endGuardedCode(VectorBody &body);

} // namespace kiln
