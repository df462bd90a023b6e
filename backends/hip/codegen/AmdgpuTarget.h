// AMD GPUs: LLVM IR to a code object, an ELF shared object that the HSA runtime loads.
#pragma once
#include "backends/llvm/Target.h"

namespace kiln {

/// `name` is LLVM's and HIP's name of a processor, gfx900 or newer, with optional features as in HIP: gfx90a,
/// gfx90a:sramecc+:xnack-. Returns null, with `error` set, for others.
std::unique_ptr<Target> createAmdgpuTarget(const std::string &name, std::string &error);

} // namespace kiln
