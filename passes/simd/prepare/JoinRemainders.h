// A number that a kernel has split into a quotient and a remainder, and adds up again.
//
//   %high = arith.shrsi %x, 3
//   %low = arith.andi %x, 7
//   %p = arith.muli %high, 8          ==>    %x
//   %q = arith.addi %p, %low
//
// The usual way to write a tile: `hi * 8 + lo`. The sum is strided in every vector, its parts only within one tile.
// LLVM does the same later (InstCombine), when the accesses have their form.
//
// Legal because x / n * n + x % n is x for both kinds of division, and (x >> n << n) + (x & (1 << n) - 1) for both
// kinds of shift. Not handled: divisors that are not constant.
#pragma once
#include "mlir/IR/PatternMatch.h"

namespace kiln {

void populateJoinRemainders(mlir::RewritePatternSet &patterns);

} // namespace kiln
