// The machine as this process sees it: processors and memory within affinity mask and cgroup limits, names and caches.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kiln::cpu {

/// The limits of the process's cgroup and its ancestors; cgroup versions 1 and 2.
struct CgroupLimits {
  std::optional<unsigned> processors; // quota over period, rounded up
  std::optional<uint64_t> memory;     // bytes
};
/// `root` is a prefix of every path that is read, for tests.
CgroupLimits cgroupLimits(const std::string &root = "");

/// The number of worker threads: KILN_CPU_THREADS, or the processors in the affinity mask and the cgroup's quota.
unsigned threadCount();
uint64_t memoryBytes();
/// Memory that can be touched before the OOM killer acts, as the system and the cgroups report it; nothing if they do
/// not. Allocated pages that were never touched count as available.
std::optional<uint64_t> availableBytes(const std::string &root = "");
std::string processorName();
unsigned clockMHz();
/// The first processor's data or unified cache of that level; 0 if unknown.
struct CacheInfo {
  uint64_t bytes = 0;
  unsigned line = 0;
};
CacheInfo cache(int level);

/// Returns true if the counter that kernels read has a constant rate in all power states, so that it is one clock for
/// all cores.
bool hasInvariantCounter();

/// The target of code for this process: "cpu", the machine's processor, or "cpu:NAME". The latter under Valgrind, which
/// runs fewer instructions than the processor has: kilnc is another process, and does not run in it.
std::string targetOfProcess();

/// Returns the name of a processor for a process that lacks one of the two instruction sets, though `flags`, a line of
/// /proc/cpuinfo, lists it; empty if it lacks none.
std::string visibleProcessor(std::string_view flags, bool seesAvx512, bool seesAvx2);

} // namespace kiln::cpu
