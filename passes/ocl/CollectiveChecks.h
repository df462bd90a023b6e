// Checks the numbers that a program gives to shuffles, broadcasts and clustered reductions (KILN_CHECK=memory).
#pragma once
#include "base/abi/Check.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kiln {

/// Emits the report of a number that is not below its limit. Both are i64.
using ReportNumber =
    llvm::function_ref<void(mlir::ImplicitLocOpBuilder &, abi::CheckedNumber, mlir::Value number, mlir::Value limit)>;

/// Adds a comparison before each collective of the kernel whose number may be wrong. Returns how many it has added.
/// `subGroupSize`: the size with which the kernel runs; in small groups and in the last sub-group of a group it is
/// less.
unsigned checkCollectives(mlir::func::FuncOp kernel, int64_t subGroupSize, ReportNumber report);

} // namespace kiln
