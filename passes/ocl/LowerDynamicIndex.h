// Selection by a dynamic index.
#pragma once
#include "mlir/IR/Builders.h"

namespace kiln {

/// Returns values[number]. `number` is an i32, or a vector of i32 if the values are vectors of as many lanes. Selects
/// halve the candidates for each bit of the number:
///
///   v[0] v[1] v[2] v[3]   --bit 0-->   v[0 or 1] v[2 or 3]   --bit 1-->   v[number]
mlir::Value selectByIndex(mlir::OpBuilder &b, mlir::Location loc, llvm::SmallVector<mlir::Value> values,
                          mlir::Value number);

} // namespace kiln
