// Writes a folder with everything that repeats a launch with kiln-replay or kiln-bench: the program, the kernel, sizes
// and arguments (bundle.json), and the bytes of each memory range before and after the launch.
//
//   kiln-4711-blur-3/bundle.json  program.cl  program.spv  memory-0.bin  memory-0.after.bin  memory-1.bin
//
// Arguments name memory by its address. A replay puts the ranges at their addresses, because memory may hold pointers.
// program.cl is there if the program is from source; a range without memory-<n>.after.bin was not changed.
#pragma once
#include "runtime/capture/Reached.h"
#include <filesystem>

namespace kiln::capture {

/// The bytes of each range before the launch.
using Copies = std::vector<std::unique_ptr<std::byte[]>>;

/// Where the bytes of each range are after the launch.
using Contents = std::vector<const std::byte *>;
/// On a device whose memory the host reads in place.
Contents inPlace(const Reached &reached);

/// What a bundle states about its launch beside the launch itself.
struct About {
  const char *writer;  // the switch that made it
  uint64_t number = 0; // of the launch among those of its kernel, from 1; 0 if they are not counted
  std::string variant; // of the code that ran
  uint32_t traits = 0; // KernelTrait
};

/// Copies one range.
std::unique_ptr<std::byte[]> copyOf(const Range &range);

/// Writes the bundle to `folder`, which it creates, and folders above it. The launch has ended. Returns the folder's
/// absolute path; empty if it cannot be written, which is logged.
std::string writeBundle(const std::filesystem::path &folder, const HostLaunch &launch, const DeviceObject &device,
                        const BuildState &state, const Reached &reached, const Copies &before, const Contents &after,
                        const About &about);

/// A kernel's name as part of a file's name: at most 60 characters, a long name with a digest at its end.
std::string fileNameOf(const std::string &kernel);

} // namespace kiln::capture
