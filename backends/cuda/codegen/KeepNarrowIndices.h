// Keeps loop strength reduction from computing a 32-bit loop counter in 64 bits.
#pragma once
#include "llvm/Pass.h"

namespace kiln {

/// For a counter that a loop uses as an index and as a 32-bit value, LLVM's loop strength reduction selects one 64-bit
/// counter and truncates it: truncation is free on NVPTX, but an addition and a comparison in 64 bits are two
/// instructions each. This pass freezes the operand of the index's extension, which hides the extension from loop
/// strength reduction. The address is then one multiplication and addition (IMAD.WIDE).
///
///   %i = phi i32 [0], [%next]                  %i = phi i32 [0], [%next]
///   %index = zext i32 %i to i64         ->     %same = freeze i32 %i
///   %best = select i1 %c, i32 %i, ...          %index = zext i32 %same to i64
///
/// It must run directly before loop strength reduction, because CanonicalizeFreezeInLoops moves the freeze out of the
/// loop.
llvm::FunctionPass *createKeepNarrowIndicesPass();

} // namespace kiln
