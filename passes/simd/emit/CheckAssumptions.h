// Checks what vector code derives from its assumptions (`check-assumptions`, KILN_CHECK_ASSUMPTIONS), for debugging.
//
//   %j = arith.divui %i, %n      ==>    %j = arith.divui %i0, %n                          // lane 0's
//                                       %each = arith.divui %i, splat %n                  // what each lane computes
//                                       %same = arith.cmpi eq, splat %j, %each
//                                       if %holds and not all of %same: report `lanes`
//
// Lanes are compared one operation at a time: the operands of %each were compared where they were computed. So a launch
// reports the first operation whose lanes differ. Inactive lanes may hold any value. A runtime check that fails
// although every lane is as assumed is not an error but costs time: the launch counts these as needless.
#pragma once
#include "passes/simd/emit/EndLaneConditions.h"
#include "passes/simd/emit/MemoryAccess.h"

namespace kiln {

/// Compares the lanes that vector code derives from lane 0's result with the lanes' own results.
void expectStrides(VectorBody &body, mlir::Operation *op, mlir::Value mask);

/// Compares the end lanes' result with the vector of conditions. All lanes are active here.
void expectEndLanes(VectorBody &body, mlir::Value condition, const EndLaneResult &result);

/// `loaded` was read earlier in the program, or by a wider access. Compares it with what each lane reads here.
void expectLoaded(VectorBody &body, mlir::Value loaded, const MemoryAccess &access, Assumption assumption);

} // namespace kiln
