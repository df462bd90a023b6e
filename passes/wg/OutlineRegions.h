// Outlines regions and collectives of kernels that have many.
//
//   llvm.func @k.group(...) {              llvm.func @k.group(...) {
//     for each row: for each x: A            llvm.call @k.group.part0(%inputs of A)
//     sum = for each item: add     ==>       sum = llvm.call @k.group.part1(%slot, %items)
//     for each row: for each x: B            llvm.call @k.group.part2(%inputs of B)
//   }                                      }
//
// LLVM's time is O(n^2) in the loops of a function. Each loop here runs over all work-items of a group, so the call's
// cost is negligible. With a fixed local size, loops are unrolled and values between regions stay in registers, which
// is worth more compile time: 40 barriers over 64 work-items ran in 0.9 ms inline and in 2.0 ms outlined.
#pragma once
#include "passes/wg/GroupFunction.h"

namespace kiln {

/// The lowered blocks of a region or a collective: those between `before` and `after`. They are entered from `before`
/// only and left to `after` only.
struct OutlineCandidate {
  mlir::Block *before, *after;
  bool isCollective; // may be equal to another one, which regions never are
};

/// The most regions and collectives of a kernel that stays one function, for any local size and for a fixed one.
constexpr unsigned MaxInlineRegionsGeneric = 8, MaxInlineRegionsFixed = 64;

/// Moves each candidate to a function that the kernel calls. Collectives that differ in their inputs only share one.
void outlineRegions(GroupFunction &group, llvm::ArrayRef<OutlineCandidate> candidates);

} // namespace kiln
