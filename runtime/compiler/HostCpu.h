// Returns a text that identifies all properties of this machine's processor that affect code for target "cpu". It is
// part of cache keys, because machines may share the cache folder.
#pragma once
#include <string>

namespace kiln {
std::string hostCpuIdentity();
} // namespace kiln
