// A folder with the fake GPU driver and NVIDIA's assembler beside it, which libkiln and kilnc then use.
#pragma once
#include <filesystem>
#include <string>

namespace kiln::test {

struct DriverFolder {
  /// `assembler`: the file that is the assembler; empty: none.
  explicit DriverFolder(const std::filesystem::path &folder, const std::string &assembler = KILN_FAKE_PTX_COMPILER)
      : driver(folder / "libcuda.so.1") {
    std::filesystem::create_directories(folder);
    std::filesystem::create_symlink(KILN_FAKE_CUDA, driver);
    if (!assembler.empty())
      std::filesystem::create_symlink(assembler, folder / "libnvidia-ptxjitcompiler.so.1");
  }
  const std::string driver; // for KILN_CUDA_LIBRARY
};

} // namespace kiln::test
