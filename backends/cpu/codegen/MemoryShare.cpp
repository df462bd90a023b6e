#include "backends/cpu/codegen/MemoryShare.h"
#include <algorithm>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace kiln {
namespace {

uint64_t mappedBytes() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * uint64_t(sysconf(_SC_PAGESIZE));
}

rlimit addressSpace() {
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  getrlimit(RLIMIT_AS, &limit);
  return limit;
}

/// The hard limit stays, so that the soft one can be raised again.
void setSoftLimit(uint64_t bytes) {
  rlimit limit = addressSpace();
  limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
  setrlimit(RLIMIT_AS, &limit);
}

} // namespace

uint64_t memoryShare(uint64_t left, unsigned parts, uint64_t work, uint64_t allWork) {
  double byWork = allWork ? double(work) / double(allWork) : 0;
  return left / 2 / parts + uint64_t(double(left / 2) * byWork);
}

std::optional<uint64_t> memoryLeft() {
  rlimit limit = addressSpace();
  if (limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  uint64_t mapped = mappedBytes();
  return limit.rlim_cur > mapped ? limit.rlim_cur - mapped : 0;
}

GrowthLimit::GrowthLimit(uint64_t bytes) : before_(addressSpace().rlim_cur) {
  setSoftLimit(std::min<uint64_t>(before_, mappedBytes() + bytes));
}

GrowthLimit::~GrowthLimit() { setSoftLimit(before_); }

} // namespace kiln
