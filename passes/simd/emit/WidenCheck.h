// Checks of accesses (`ocl.check_access`) in vector code.
//
//   %q = ocl.check_access %p in %b[%n] ...         load of vector<8xf32> at lane 0's %p, if the accesses of the first
//   load %q : f32                          ==>     and the last lane are in the object; else each lane checks its own
//
// The check of a pointer that rises from lane to lane is a guard of the checked pointer's shape (RuntimeChecks.h). A
// vector that fails it runs in the scalar body, which reports, or, after a side effect, checks each lane. Inactive
// lanes are not checked. The accesses of a group (AccessGroups.h) have one check. The check of a uniform pointer is one
// check for all lanes, and other pointers are compared as vectors.
#pragma once
#include "passes/simd/emit/VectorBody.h"

namespace kiln {
namespace ocl {
class CheckAccessOp;
}

void widenCheck(VectorBody &body, ocl::CheckAccessOp check, mlir::Value mask);

/// Checks each active lane's pointer, at the insertion point, and returns the checked ones. `anyFails`: null, or
/// receives a flag: an active lane fails. `where`: the access's location, if it is not the check's.
mlir::Value checkLanes(VectorBody &body, ocl::CheckAccessOp check, mlir::Value pointers, mlir::Value mask,
                       mlir::Value *anyFails = nullptr, std::optional<mlir::Location> where = {});

/// Returns a flag, at the insertion point: an active lane's `total` bytes at its pointer are not all in the object of
/// the check.
mlir::Value anyLaneFails(VectorBody &body, ocl::CheckAccessOp check, mlir::Value pointers, mlir::Value total,
                         mlir::Value mask);

} // namespace kiln
