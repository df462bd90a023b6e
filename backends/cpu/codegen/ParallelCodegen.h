// Generates a module's machine code in several processes.
#pragma once
#include "backends/llvm/Target.h"

namespace kiln {

using Object = llvm::SmallVector<char, 0>;

/// Optimises code with calls of math functions, and links these. `observer` as for optimise().
void optimiseKernels(llvm::Module &module, llvm::TargetMachine &machine, Effort effort,
                     llvm::PassInstrumentationCallbacks *observer = nullptr);

/// Optimises and emits the module's kernels, each with its effort. Together the objects define all symbols of the
/// module. Destroys the module's bodies.
///
/// LLVM's passes take nearly all of a build, so kernels are distributed over the available processors; a forked process
/// compiles each part. If a fork crashes, this process ends with the same signal, so that its parent reports the cause.
std::vector<Object> compileInParallel(llvm::Module &module, llvm::TargetMachine &machine,
                                      llvm::ArrayRef<EntryCode> entries);

} // namespace kiln
