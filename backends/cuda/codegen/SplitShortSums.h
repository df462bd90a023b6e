// Scalarizes sums of vectors of 16-bit integers.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// For sm_90 and newer, where LLVM adds two elements by `add.s16x2`. The assembler of CUDA 13.0, also in the driver,
/// replaces the constant by zero (`VIADD.16x2 R, 0x0`) if one operand is a constant and only one half of the result is
/// used. CUDA 13.5 is correct. Saturating sums become the same instruction.
void splitShortSums(llvm::Module &module);

} // namespace kiln
