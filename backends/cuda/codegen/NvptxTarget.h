// NVIDIA GPUs: LLVM IR to PTX, which the driver assembles for its GPU.
#pragma once
#include "backends/llvm/Target.h"

namespace kiln {

/// `name` is LLVM's name of a processor, sm_70 or newer. Returns null, with `error` set, for others.
std::unique_ptr<Target> createNvptxTarget(const std::string &name, std::string &error);

} // namespace kiln
