// Lowers a switch to a chain of branches, for passes that handle scf.if and scf.while only.
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln {

/// switch %i case 1 {A} case 2 {B} default {C}  ==>  if %i == 1 {A} else {if %i == 2 {B} else {C}}
void lowerSwitch(mlir::scf::IndexSwitchOp op);

} // namespace kiln
