// Regions and collectives as functions of their own, for kernels that have many.
//
//   llvm.func @k.group(...) {              llvm.func @k.group(...) {
//     for each row: for each x: A            llvm.call @k.group.part0(%values that A needs)
//     sum = for each item: add     ==>       sum = llvm.call @k.group.part1(%slot, %items)
//     for each row: for each x: B            llvm.call @k.group.part2(%values that B needs)
//   }                                      }
//
// What LLVM does to a function grows with the square of the loops in it. A loop here runs over all work-items of a
// group, which a call does not show beside. But where sizes are known, loops come apart into straight code, and what
// one region leaves for the next stays in registers (40 barriers over 64 work-items ran in 0.9 ms, in functions of
// their own in 2.0): that is worth more of the compiler's time.
#pragma once
#include "passes/wg/GroupFunction.h"

namespace kiln {

/// What was put in a region's or a collective's place: the blocks between two. They are entered from the first alone,
/// and left to the second.
struct Piece {
  mlir::Block *before, *after;
  bool isCollective; // and may be the same as another, which regions never are
};

/// Regions and collectives up to which a kernel is one function, where sizes are anything and where they are known.
constexpr unsigned MaxPiecesOfAnySize = 8, MaxPiecesOfKnownSize = 64;

/// Moves each piece to a function, which the kernel calls; collectives that differ by nothing but what they are called
/// with share one.
void giveOwnFunctions(GroupFunction &group, llvm::ArrayRef<Piece> pieces);

} // namespace kiln
