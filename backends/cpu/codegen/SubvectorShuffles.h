// Rewrites extractions of wide integers from vectors to shuffles.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// If a subvector of a just-stored vector is loaded, LLVM forwards the store as bitcast, extractelement of an i128 to
/// i512, bitcast. The code generator splits such integers into 64-bit parts. This pass rewrites the sequence as a
/// shufflevector. Unrolled tree reductions in local memory contain many.
void wideIntegersToShuffles(llvm::Module &module);

} // namespace kiln
