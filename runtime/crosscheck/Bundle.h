// Writes a folder with everything that reproduces a launch with tests/tools/kiln-replay: the program as SPIR-V with its
// options, the kernel, sizes and arguments (replay.json), and the bytes of each memory range before the launch.
//
//   crosscheck-4711-0-blur/replay.json  program.spv  memory-0.bin  memory-1.bin
//
// It is below KILN_DUMP, or below the folder for temporary files. replay.json has the address of each range, but a
// replay does not relocate pointers in memory.
#pragma once
#include "runtime/crosscheck/Reached.h"
#include <span>

namespace kiln::crosscheck {

/// `before` has the bytes of each range before the launch. Returns the folder; empty if it cannot be written, which is
/// logged.
std::string writeBundle(const KernelLaunch &launch, const BuildState &state, const Reached &reached,
                        const std::vector<std::unique_ptr<std::byte[]>> &before, const std::string &form,
                        uint32_t traits);

} // namespace kiln::crosscheck
