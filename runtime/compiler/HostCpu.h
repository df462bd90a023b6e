// Everything about this machine's processor that code generation for target "cpu" may look at, as a text for cache
// keys: code made on one machine must not be found on another that shares the folder.
#pragma once
#include <string>

namespace kiln {
std::string hostCpuIdentity();
} // namespace kiln
