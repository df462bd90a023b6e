// A temporary folder that is deleted with everything in it.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace bench {

class TemporaryFolder {
public:
  /// `program` is the beginning of its name.
  explicit TemporaryFolder(const std::string &program) {
    std::string pattern = (std::filesystem::temp_directory_path() / (program + "-XXXXXX")).string();
    if (!mkdtemp(pattern.data()))
      throw std::runtime_error("cannot create a folder in " + std::filesystem::temp_directory_path().string());
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;

  const std::string &path() const { return path_; }

private:
  std::string path_;
};

} // namespace bench
