// Stack usage of compiled functions.
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace kiln {

/// Returns the size in bytes of the largest stack frame in an object file with a .stack_sizes section
/// (`EmitStackSizeSection`).
uint64_t largestStackFrame(llvm::ArrayRef<char> object);

} // namespace kiln
