// The kinds of processors that this compiler has code for, by the first word of their name.
#pragma once
#include "backends/llvm/Target.h"

namespace kiln {

/// "cpu", "cpu:skylake", "nvptx:sm_90", "amdgpu:gfx942". Null with `error` set for what is not known.
std::unique_ptr<Target> createTarget(const std::string &name, std::string &error);

} // namespace kiln
