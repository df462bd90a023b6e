// Generates a module's machine code in several processes.
#pragma once
#include "backends/llvm/Target.h"

namespace kiln {

using Object = llvm::SmallVector<char, 0>;

/// Optimises and emits the module's kernels, each with its effort. Together the objects define all symbols of the
/// module. Destroys the module's bodies.
///
/// LLVM's passes take nearly all of a build, so kernels are distributed over the available processors; a forked process
/// compiles each part. If a fork crashes, this process ends with the same signal, so that its parent reports the cause.
std::vector<Object> compileInParallel(llvm::Module &module, const Target &target, llvm::ArrayRef<EntryCode> entries);

} // namespace kiln
