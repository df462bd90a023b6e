#pragma once
#include <string_view>

namespace cluster {

/// The source of a file of kernels/, without its ending.
const char *kernelSource(std::string_view name);

} // namespace cluster
