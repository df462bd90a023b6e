// The executable of this process.
#pragma once
#include <string>
#include <unistd.h>

namespace kiln {

/// Returns the path of the executable; empty if the system does not provide it.
inline std::string executablePath() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, size_t(size)) : std::string();
}

} // namespace kiln
