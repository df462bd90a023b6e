// Replaces correctly rounded single-precision division and square root, which need a subroutine, by instructions within
// OpenCL's error bounds (2.5 and 3 ulp).
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// Runs after the optimiser, which simplifies divisions but not the intrinsics that replace them.
void relaxPrecision(llvm::Module &module);

} // namespace kiln
