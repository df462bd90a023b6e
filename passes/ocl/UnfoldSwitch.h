// A switch as a chain of branches, for passes that know two shapes of structured control flow only.
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln {

/// switch %i case 1 {A} case 2 {B} default {C}  ==>  if %i == 1 {A} else {if %i == 2 {B} else {C}}
void unfoldSwitch(mlir::scf::IndexSwitchOp op);

} // namespace kiln
