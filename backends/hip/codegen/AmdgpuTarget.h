// AMD's processors: LLVM IR to a code object, an ELF shared object that the HSA runtime loads.
#pragma once
#include "backends/llvm/Target.h"

namespace kiln {

/// `name` is a processor as LLVM and HIP call it, gfx900 or newer, with the features that HIP appends to it, if any:
/// gfx90a, gfx90a:sramecc+:xnack-. Null with `error` set for any other.
std::unique_ptr<Target> createAmdgpuTarget(const std::string &name, std::string &error);

} // namespace kiln
