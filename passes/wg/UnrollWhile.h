// The rounds of a loop as code.
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln {

/// The value before the condition that an argument behind it stands for; any other value: itself.
mlir::Value beforeOf(mlir::scf::WhileOp loop, mlir::Value value);

/// One round: what the condition hands on, given what the loop carries, and what it carries then. What follows from
/// constants is one.
llvm::SmallVector<mlir::Value> putBefore(mlir::OpBuilder &b, mlir::scf::WhileOp loop, mlir::ValueRange carried);
llvm::SmallVector<mlir::Value> putAfter(mlir::OpBuilder &b, mlir::scf::WhileOp loop, mlir::ValueRange handed);

/// Puts `rounds` rounds in the loop's place, of which the last ends with its condition.
void unrollWhile(mlir::scf::WhileOp loop, unsigned rounds);

} // namespace kiln
