// Keeps LLVM 22's StructurizeCFG pass from moving the values of phis, which it does wrongly.
#pragma once
#include "llvm/Pass.h"

namespace kiln {

/// StructurizeCFG moves instructions without cost out of a block that only makes them for a phi, and then uses such a
/// value also on paths that do not come from this block, or uses poison on paths that do, if the phi has three or more
/// incoming values (LLVM's pull request 183792 forbids that from LLVM 23 on). For example, an image format whose channel
/// order shared its case with another one was not written. This pass moves these instructions itself, without changing
/// a phi. It must run directly before StructurizeCFG, because passes between them would move the instructions back.
llvm::FunctionPass *createHoistPhiValuesPass();

} // namespace kiln
