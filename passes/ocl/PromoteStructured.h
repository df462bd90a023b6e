// Private variables of structured code as SSA values.
#pragma once
#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

namespace kiln {

/// Replaces the loads and stores of variables by values that scf.if and scf.while carry. `types`: of each variable.
/// `accesses`: all loads and stores of the variables, plain ones of the variable's type, each with the number of its
/// variable. They are in `block`, and in regions of scf.if and scf.while in it. A variable that is loaded before it is
/// stored to is zero.
void promoteStructured(mlir::Block &block, llvm::ArrayRef<mlir::Type> types,
                       const llvm::DenseMap<mlir::Operation *, unsigned> &accesses);

} // namespace kiln
