// What compiled functions take of the stack.
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace kiln {

/// In bytes, the most of any function in an object file whose code generator was told to write it down
/// (`EmitStackSizeSection`).
uint64_t largestFrame(llvm::ArrayRef<char> object);

} // namespace kiln
