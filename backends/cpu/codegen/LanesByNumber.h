// Lanes of a vector whose number is known only as the kernel runs.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// The code generator reads each such lane through memory, and gives each a place of its own on the stack: a few
/// thousand reads of long vectors are more than a thread has. Here they share one place; constant vectors lie in memory
/// anyway.
void takeLanesByNumber(llvm::Module &module);

} // namespace kiln
