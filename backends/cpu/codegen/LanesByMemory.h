// Numbers that a vector has and scalar instructions want: indices of scattered accesses, above all.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// Each lane taken out of a vector is two or three instructions, all of which wait for the one port that shuffles, and
/// sixteen lanes are most of what a scattered access costs. Here the vector is stored on the stack, and each lane is
/// read from there, which processors forward; instructions even read it as they extend it. Where lanes are taken in
/// branches only, the vector is stored there. Behind the last pass that would see through the memory.
void takeLanesByMemory(llvm::Module &module);

} // namespace kiln
