// Which program this process runs.
#pragma once
#include <string>
#include <unistd.h>

namespace kiln {

/// The path of the executable; empty where the system does not tell it.
inline std::string executablePath() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, size_t(size)) : std::string();
}

} // namespace kiln
