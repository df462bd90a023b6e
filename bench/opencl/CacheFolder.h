// An empty cache for the platforms that a run measures.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace bench {

/// A temporary folder for the platforms' caches, so that a run starts with empty caches and leaves no files.
class CacheFolder {
public:
  CacheFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kiln-bench-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      throw std::runtime_error("cannot create a folder in " + std::filesystem::temp_directory_path().string());
    path_ = pattern;
    for (const char *variable : {"KILN_CACHE_DIR", "POCL_CACHE_DIR"})
      setenv(variable, path_.c_str(), /*overwrite=*/1);
  }
  ~CacheFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  CacheFolder(const CacheFolder &) = delete;

private:
  std::string path_;
};

} // namespace bench
