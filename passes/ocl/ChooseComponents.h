// Components of a vector whose number is known only as a kernel runs.
#pragma once
#include "mlir/IR/Builders.h"

namespace kiln {

/// The one of `values` that `number` says: an i32, or a vector of them, for as many lanes as the values have. Every
/// second value goes with each bit of the number:
///
///   v[0] v[1] v[2] v[3]   --bit 0-->   v[0 or 1] v[2 or 3]   --bit 1-->   v[number]
mlir::Value chooseByNumber(mlir::OpBuilder &b, mlir::Location loc, llvm::SmallVector<mlir::Value> values,
                           mlir::Value number);

} // namespace kiln
