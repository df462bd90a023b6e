// A module's machine code, made in several processes at once.
#pragma once
#include "backends/llvm/Target.h"

namespace kiln {

using Object = llvm::SmallVector<char, 0>;

/// Optimises code that calls math functions, and brings those in.
void optimiseKernels(llvm::Module &module, llvm::TargetMachine &machine, Effort effort);

/// Optimises and emits the module kernel by kernel, each with the effort that it deserves.
/// Together the objects define what the module defines. Destroys the module's bodies.
///
/// Kernels are spread over the processors that this process may use, each part in a fork of it, for LLVM's passes take
/// nearly all of a build. A fork that dies takes this process along, the same way: whoever watches it sees the cause.
std::vector<Object> compileInParts(llvm::Module &module, llvm::TargetMachine &machine,
                                   llvm::ArrayRef<EntryCode> entries);

} // namespace kiln
