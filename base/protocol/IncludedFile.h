// A file on the disk that a translation unit includes, as kiln-clc read it. The cache compares it with the file of that
// name. The text itself stays in the compiler: the application would need it for nothing but this.
#pragma once
#include "base/support/Sha256.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

namespace kiln::protocol {

struct IncludedFile {
  std::string name;
  uint64_t size = 0; // in bytes
  Sha256::Digest digest{};
  bool usesTime = false; // usesTimeMacros
  auto fields() { return std::tie(name, size, digest, usesTime); }
};

/// Larger files are not included: no source has as many bytes, and the compiler would use up its memory.
inline constexpr uint64_t LargestInclude = 64ull << 20;

/// Returns true if the result of a compilation depends on its time.
bool usesTimeMacros(std::string_view text);

IncludedFile describeInclude(std::string name, std::string_view text);

} // namespace kiln::protocol
