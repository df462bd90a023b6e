#include "doctor/Checks.h"
#include <fstream>
#include <sched.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

namespace kiln::doctor {
namespace {

uint64_t limitOf(__rlimit_resource_t resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : 0;
}

/// The memory limit of the cgroup (version 2, else 1), or the machine's memory.
uint64_t memoryLimit() {
  struct sysinfo machine;
  uint64_t limit = sysinfo(&machine) == 0 ? uint64_t(machine.totalram) * machine.mem_unit : 0;
  for (const char *path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    uint64_t bytes = 0;
    if (file >> bytes && bytes && bytes < limit)
      limit = bytes;
  }
  return limit;
}

std::string mebibytes(uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

} // namespace

Limits currentLimits() {
  cpu_set_t allowed;
  Limits limits;
  limits.addressSpace = limitOf(RLIMIT_AS);
  limits.processes = limitOf(RLIMIT_NPROC);
  limits.files = limitOf(RLIMIT_NOFILE);
  limits.fileSize = limitOf(RLIMIT_FSIZE);
  limits.stack = limitOf(RLIMIT_STACK);
  limits.memory = memoryLimit();
  limits.processors = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? unsigned(CPU_COUNT(&allowed)) : 1;
  return limits;
}

Findings checkLimits(const Limits &limits) {
  // kilnc uses 120 MiB for a kernel of one line and runs with an address space of 512 MiB; the limits leave room for
  // usual programs and for the application, whose process has the same limits.
  constexpr uint64_t MinAddressSpace = uint64_t(1) << 30, MinMemory = uint64_t(512) << 20, MinFiles = 64,
                     MinFileSize = uint64_t(64) << 20, MinStack = uint64_t(1) << 20;
  Findings all;
  if (limits.addressSpace && limits.addressSpace < MinAddressSpace)
    all.push_back(problem("the address space is limited to " + mebibytes(limits.addressSpace),
                          "raise it (ulimit -v) to at least 1024 MiB: the compilers and the application need it"));
  if (limits.memory && limits.memory < MinMemory)
    all.push_back(problem("the machine or the cgroup has " + mebibytes(limits.memory) + " of memory",
                          "give it at least 512 MiB: the compilers need a part of it"));
  if (limits.buildMemory && limits.buildMemory < MinMemory)
    all.push_back(
        note("KILN_BUILD_MEMORY is " + mebibytes(limits.buildMemory), "large programs need more than 512 MiB"));
  if (limits.files && limits.files < MinFiles)
    all.push_back(
        problem("the process may open " + std::to_string(limits.files) + " files", "raise it (ulimit -n) to 64"));
  if (limits.fileSize && limits.fileSize < MinFileSize)
    all.push_back(note("files are limited to " + mebibytes(limits.fileSize),
                       "raise it (ulimit -f) to 64 MiB: larger programs are not cached"));
  if (limits.stack && limits.stack < MinStack)
    all.push_back(note("stacks are limited to " + mebibytes(limits.stack),
                       "raise it (ulimit -s) to 1 MiB: threads with less run no kernels while they wait"));
  if (limits.processes && limits.processes < limits.processors + 16)
    all.push_back(problem("this user may have " + std::to_string(limits.processes) + " processes and threads",
                          "raise it (ulimit -u) to the number of processors and 16"));
  if (all.empty())
    all.push_back(good(std::to_string(limits.processors) + " processors, " + mebibytes(limits.memory) + " of memory"));
  return all;
}

} // namespace kiln::doctor
