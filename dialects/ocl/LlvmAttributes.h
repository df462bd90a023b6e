// Attributes on operations of the LLVM dialect, for properties of LLVM IR that MLIR 21's operations do not have.
// backends/llvm/TranslateAttributes.cpp translates them.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace kiln::ocl {

/// array<i64: destination, source>, on an `llvm.intr.memcpy`: the alignments of both addresses in bytes.
inline constexpr llvm::StringLiteral CopyAlignAttr = "ocl.copy_align";

/// string, "local" or "global", on an `llvm.fence` for AMD's GPUs: the only memory that the fence orders.
inline constexpr llvm::StringLiteral SynchronizeAsAttr = "ocl.synchronize_as";

/// unit, on an `llvm.inline_asm` of the program: work-items may wait for each other in it, or exchange values.
inline constexpr llvm::StringLiteral ConvergentAttr = "ocl.convergent";

} // namespace kiln::ocl
