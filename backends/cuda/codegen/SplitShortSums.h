// Takes sums of vectors of 16-bit integers apart, element by element.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// For PTX of sm_90 and newer, where LLVM adds two such elements by `add.s16x2`: the assembler of CUDA 13.0, which is
/// the driver's as well, makes `VIADD.16x2 R, 0x0` of it where one operand is a constant and only one half of the
/// result is used. That of 13.5 is right. Saturating sums come to the same instruction.
void splitShortSums(llvm::Module &module);

} // namespace kiln
