// A branch that at most one lane takes, as a scalar copy for that lane.
#pragma once
#include "passes/simd/decide/OneLaneBranch.h"
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

void widenOneLaneBranch(VectorBody &body, mlir::scf::IfOp op, const OneLaneBranch &taken, mlir::Value mask);

} // namespace kiln
