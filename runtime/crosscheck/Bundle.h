// A folder with all that a launch was, for tests/tools/kiln-replay: the program as SPIR-V with its options, the kernel,
// sizes and arguments (replay.json), and the bytes of each range of memory before the launch.
//
//   crosscheck-4711-0-blur/replay.json  program.spv  memory-0.bin  memory-1.bin
//
// It is written below KILN_DUMP, or below a folder for temporary files. Memory may hold addresses; replay.json has the
// address of each range, but a replay does not relocate what points into them.
#pragma once
#include "runtime/crosscheck/Reached.h"
#include <span>

namespace kiln::crosscheck {

/// `before` is the memory of each range before the launch. Returns the folder; empty where it cannot be written, which
/// the log says.
std::string writeBundle(const KernelLaunch &launch, const BuildState &state, const Reached &reached,
                        const std::vector<std::unique_ptr<std::byte[]>> &before, const std::string &form,
                        uint32_t traits);

} // namespace kiln::crosscheck
