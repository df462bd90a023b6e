// Branches. A uniform condition stays a branch. For a varying one, both sides run one after the other, each under the
// mask of the lanes that take it, or as a select if that is cheaper. Branches that enclose the rest of the body are in
// ScalarFallback.h.
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

void widenIf(VectorBody &body, mlir::scf::IfOp op, mlir::Value mask);

} // namespace kiln
