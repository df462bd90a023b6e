// Removes choices of which one side is poison.
//
//   %next = scf.if %found -> i32 {
//     llvm.store %x, %to                          llvm.store ... if %found
//     scf.yield %poison : i32             ==>     %next = arith.addi %x, %one
//   } else {
//     %sum = arith.addi %x, %one
//     scf.yield %sum : i32
//   }
//
// Lifting a control flow graph creates them: a loop that is left by `break` carries a counter, whose next value does
// not exist in work-items that leave. With the choice, the counter would differ between lanes, and each of them would
// load its own copy of one element: a search in a table that all work-items share takes 16 loads per step. Without it
// the counter is uniform.
//
// Loops must have their last form: the patterns that turn `do { if (c) ... } while (c)` into a loop whose condition
// comes first expect the choice.
//
// Legal because poison may be any value (LLVM LangRef), also that of the other side. An operation that moves before the
// branch has no side effect, does not trap, and loses its poison-generating flags.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace kiln {

void populatePoisonChoices(mlir::RewritePatternSet &patterns);

} // namespace kiln
