// NVIDIA's processors: LLVM IR to PTX, which the driver assembles for the very chip.
#pragma once
#include "backends/llvm/Target.h"

namespace kiln {

/// `name` is a processor as LLVM calls it, sm_70 or newer. Null with `error` set for any other.
std::unique_ptr<Target> createNvptxTarget(const std::string &name, std::string &error);

} // namespace kiln
