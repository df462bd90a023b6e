// This machine's processor, or one of its family by name.
#pragma once
#include "backends/llvm/Target.h"

namespace kiln {

/// `name` is empty for the host's processor with exactly its features. Null with `error` set for an unknown one.
std::unique_ptr<Target> createCpuTarget(const std::string &name, std::string &error);

} // namespace kiln
