// Unrolling of scf.while.
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln {

/// For an argument of the loop's `after` block, the operand of the condition that it receives; any other value: itself.
mlir::Value conditionOperandOf(mlir::scf::WhileOp loop, mlir::Value value);

/// Clone one iteration. The first returns the values that the condition forwards, given the carried values; the second
/// returns the next carried values, given the forwarded ones. Both fold constants.
llvm::SmallVector<mlir::Value> cloneConditionBlock(mlir::OpBuilder &b, mlir::scf::WhileOp loop,
                                                   mlir::ValueRange carried);
llvm::SmallVector<mlir::Value> cloneBodyBlock(mlir::OpBuilder &b, mlir::scf::WhileOp loop, mlir::ValueRange forwarded);

/// As cloneConditionBlock; returns the condition, and the values that it forwards in `forwarded`.
mlir::Value cloneCondition(mlir::OpBuilder &b, mlir::scf::WhileOp loop, mlir::ValueRange carried,
                           llvm::SmallVectorImpl<mlir::Value> &forwarded);

/// Replaces the loop by its iterations: the `before` block `iterations` times, the `after` block once less.
void unrollWhile(mlir::scf::WhileOp loop, unsigned iterations);

} // namespace kiln
