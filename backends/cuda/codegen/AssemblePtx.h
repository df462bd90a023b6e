// Converts PTX to machine code (a cubin) by a library that has the functions of NVIDIA's "PTX Compiler APIs". NVIDIA's
// driver has them in libnvidia-ptxjitcompiler.so.1, which needs neither a GPU nor a context. The code is what ptxas
// makes of the PTX. The functions are declared in the source, because NVIDIA's headers are not free software.
//
// The library may crash or run for ever: only for a process that ends alone.
#pragma once
#include "backends/llvm/Target.h"

namespace kiln {

/// Assembles for the processor, "sm_90". If the code has source lines (-g), the machine code has them as well, for
/// NVIDIA's profilers; its instructions are the same.
Assembly assemblePtx(const AssemblerInput &input, llvm::StringRef processor);

} // namespace kiln
