// Loops. A uniform loop stays as it is. A divergent one runs until all lanes have left; those that have are inactive.
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

void widenWhile(VectorBody &body, mlir::scf::WhileOp op, mlir::Value mask);

} // namespace kiln
