// Code generation for the host's processor, or for a named one of its architecture.
#pragma once
#include "backends/llvm/Target.h"

namespace kiln {

/// An empty `name` is the host's processor with its features. Returns null, with `error` set, for an unknown one.
std::unique_ptr<Target> createCpuTarget(const std::string &name, std::string &error);

} // namespace kiln
