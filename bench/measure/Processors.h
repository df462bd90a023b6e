// The processors on which this process may run (its affinity mask), for measurements over their number.
#pragma once
#include <filesystem>
#include <vector>

namespace bench {

/// The numbers of the processors in the affinity mask of the calling thread, in order.
std::vector<int> usableProcessors();

/// The same processors, first one of each core, then the second ones, and so on. `root` is /sys/devices/system/cpu; a
/// processor without topology is a core.
std::vector<int> oneOfEachCoreFirst(const std::vector<int> &processors, const std::filesystem::path &root);

/// Restricts the calling thread, and the threads that it starts from now on, to `count` of its processors: one of each
/// core first. Throws if it has fewer; nothing is changed then. Call it before the OpenCL loader opens the platforms,
/// which start their threads.
void useProcessors(size_t count);

} // namespace bench
