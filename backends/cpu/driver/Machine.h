// What the machine gives this process: processors and memory after affinity mask and cgroup limits, names and caches.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace kiln::cpu {

/// Limits that the process's control group and the groups above it set; version 1 and 2.
struct CgroupLimits {
  std::optional<unsigned> processors; // quota over period, rounded up
  std::optional<uint64_t> memory;     // bytes
};
/// `root` stands before every path that is read: a folder of a test's in place of the machine's.
CgroupLimits cgroupLimits(const std::string &root = "");

/// Threads that are worth having: KILN_CPU_THREADS, or what affinity mask and control group allow.
unsigned threadCount();
uint64_t memoryBytes();
/// What may still be touched without anybody being killed for it, as the system and the control groups see it now;
/// nothing where they do not say. Pages that were promised and never touched are not taken off.
std::optional<uint64_t> availableBytes(const std::string &root = "");
std::string processorName();
unsigned clockMHz();
/// Of the first processor's data or unified cache of that level; 0 where unknown.
struct CacheInfo {
  uint64_t bytes = 0;
  unsigned line = 0;
};
CacheInfo cache(int level);

/// Does the counter that kernels read go on evenly, whatever the cores do, so that it is one clock for all of them.
bool hasInvariantCounter();

} // namespace kiln::cpu
