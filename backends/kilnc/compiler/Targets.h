// The list of code generators.
#pragma once
#include "backends/llvm/Target.h"

namespace kiln {

/// Creates the target "cpu", "cpu:skylake", "nvptx:sm_90" or "amdgpu:gfx942". Returns null, with `error` set, if the
/// name is unknown.
std::unique_ptr<Target> createTarget(const std::string &name, std::string &error);

} // namespace kiln
