// Gives every loop one entry block. Works around a defect of LLVM 22's FixIrreducible pass.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// Inserts a dispatch block before the entry blocks of each loop that has several of them:
///
///   before: br i1 %c, ^first, ^skip              before:   br i1 %c, ^dispatch, ^skip
///   skip:   br ^second                           skip:     br ^dispatch
///   first:  %a = phi [1, ^before], [%s, ^second]  dispatch: %to = phi [0, ^before], [1, ^skip], [1, ^first], [0,
///   ^second]
///           ... br ^second                  ==>             %a = phi [1, ^before], [poison, ^skip], [poison, ^first],
///   second: ... br i1 %d, ^first, ^end                               [%s, ^second]
///                                                           switch %to, 0: ^first, 1: ^second
///                                                first:    ... br ^dispatch
///                                                second:   ... br i1 %d, ^dispatch, ^end
///
/// Every edge to an entry block, from outside or from inside of the loop, goes through the dispatch block, which
/// becomes the loop's only entry block. This repeats for the loops that remain in the loop without its dispatch block.
/// Legal because each block of a loop dominates the same blocks as before: every entry block is reachable without any
/// other block of its loop, so no value loses a use by the detour.
///
/// Why: AMD's code generator needs structured control flow, and runs FixIrreducible before it makes it. In LLVM 22 that
/// pass redirects the edges to a second entry block only if they come from outside of the loop, but moves the phis of
/// all of them. So a loop with three entry blocks, or with two that are in a loop themselves, computes with undefined
/// values (`opt -passes=fix-irreducible` shows it for any target). LLVM 14, 15, 16 and 19 are right on the same input;
/// LLVM 20 and 21 were not at hand. After this pass FixIrreducible finds nothing to do. It runs after LLVM's optimiser,
/// some of whose passes give loops a second entry block.
///
/// Convergent operations: in the dispatch block, work-items on their way to one entry block may meet others that go to
/// another one, and they part again. OpenCL C does not define which work-items are converged in such a loop, and all of
/// a work-group must reach a barrier in any case.
///
/// Not handled: loops that an `indirectbr`, `callbr` or `invoke` enters. Kiln emits none.
void makeLoopsReducible(llvm::Module &module);

} // namespace kiln
