// A bundle as KILN_CAPTURE and the cross-check write it (runtime/capture/Bundle.h), read from its folder.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace bench {

struct Bundle {
  struct Range {
    uint64_t address, size;
    bool written;
    std::string before, after; // the bytes; `after` is empty if the launch changed none
    const std::string &expected() const { return after.empty() ? before : after; }
  };
  struct Argument {
    enum class Kind { Buffer, Pointer, Image, Sampler, Local, Value, Null, Pipe, Queue } kind;
    uint64_t address = 0; // Buffer: of its root; Pointer, Image
    uint64_t size = 0;    // Buffer, Image, Local
    uint64_t rootSize = 0, offset = 0;
    std::string value{};
    uint32_t type = 0, order = 0, channel = 0, addressing = 0;
    uint64_t width = 0, height = 0, depth = 0, arraySize = 0, rowPitch = 0, slicePitch = 0;
    bool normalized = false, linear = false;
  };
  struct SpecConstant {
    uint32_t id;
    std::string value{};
  };

  /// The content of one of a bundle's files. Throws std::runtime_error unless it is a regular file: a bundle may come
  /// from elsewhere, with links to other files of the user, or with a pipe, whose reading never ends.
  static std::string contentOf(const std::filesystem::path &path);
  /// Throws std::runtime_error if a file is missing or does not have the form of a bundle.
  static Bundle read(const std::filesystem::path &folder);
  /// The range that contains all bytes from the address on; null if the bundle has none.
  const Range *find(uint64_t address, uint64_t size = 1) const;
  bool isCrossCheck() const { return writer == "KILN_CROSSCHECK"; }

  std::string writer, kernel, variant, options, codeOptions, source, spirv, spirvDigest, codeDigest, build, device,
      target, pipeline, plugins, unknown, freedom, variables;
  uint64_t number = 0, machineWidth = 0;
  uint32_t workDim = 1;
  std::array<size_t, 3> globalOffset{}, globalSize{}, localSize{};
  bool followsPointers = false; // the kernel finds addresses in memory
  std::vector<SpecConstant> specConstants;
  std::vector<Argument> arguments;
  std::vector<Range> memory; // sorted by address, without overlap
};

} // namespace bench
