// Works around a defect of LLVM 22's hazard recognizer for AMD GPUs.
#pragma once
#include "llvm/Pass.h"

namespace kiln {

/// PostRAHazardRecognizer counts the instructions between two dependent ones along each path. In a block that ends with
/// a conditional and an unconditional branch, it counts both branches even for the path on which the first one is
/// taken. So a wait state is missing there on gfx9: a loop stored 16 bytes and wrote a register of this data one
/// instruction later, but gfx942 needs two instructions between them. This pass adds `s_nop 0` before such a pair of
/// branches. It must run after PostRAHazardRecognizer.
llvm::FunctionPass *createPadTwoWayBranchesPass();

} // namespace kiln
