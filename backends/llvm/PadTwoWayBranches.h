// Works around a defect of LLVM 22's hazard recognizer for AMD GPUs.
#pragma once
#include "llvm/Pass.h"

namespace kiln {

/// PostRAHazardRecognizer counts the instructions between two dependent ones along each path. In a block that ends with
/// a conditional and an unconditional branch, it counts both also for the path on which the first is taken. So gfx9
/// lacks a wait state there: a loop stored 16 bytes, and wrote a register of this data one instruction later, where
/// gfx942 needs two between them. This pass adds `s_nop 0` before such a pair of branches. It must run after
/// PostRAHazardRecognizer.
llvm::FunctionPass *createPadTwoWayBranchesPass();

} // namespace kiln
