#include "bench/measure/Processors.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <sched.h>
#include <stdexcept>
#include <string>

namespace bench {
namespace {

constexpr int MostProcessors = 8192; // of a mask: NR_CPUS of Linux on x86-64

/// A mask of the C library for this number of processors.
class Mask {
public:
  Mask() : set_(CPU_ALLOC(MostProcessors)) {
    if (!set_)
      throw std::bad_alloc();
    CPU_ZERO_S(size(), set_);
  }
  ~Mask() { CPU_FREE(set_); }
  Mask(const Mask &) = delete;
  static size_t size() { return CPU_ALLOC_SIZE(MostProcessors); }
  cpu_set_t *set() const { return set_; }

private:
  cpu_set_t *set_;
};

/// The processors of a core have the same text here: "0,64" or "0-1".
std::string coreOf(int processor, const std::filesystem::path &root) {
  std::ifstream file(root / ("cpu" + std::to_string(processor)) / "topology" / "thread_siblings_list");
  std::string siblings;
  return std::getline(file, siblings) ? siblings : std::to_string(processor);
}

} // namespace

std::vector<int> usableProcessors() {
  const Mask mask;
  if (sched_getaffinity(0, Mask::size(), mask.set()))
    throw std::runtime_error(std::string("the affinity mask cannot be read: ") + std::strerror(errno));
  std::vector<int> all;
  for (int i = 0; i < MostProcessors; ++i)
    if (CPU_ISSET_S(i, Mask::size(), mask.set()))
      all.push_back(i);
  return all;
}

std::vector<int> oneOfEachCoreFirst(const std::vector<int> &processors, const std::filesystem::path &root) {
  std::map<std::string, int> taken; // of each core
  std::vector<std::pair<int, int>> ranked;
  for (int processor : processors)
    ranked.emplace_back(taken[coreOf(processor, root)]++, processor);
  std::ranges::sort(ranked);
  std::vector<int> ordered;
  for (auto [rank, processor] : ranked)
    ordered.push_back(processor);
  return ordered;
}

void useProcessors(size_t count) {
  const std::vector<int> all = oneOfEachCoreFirst(usableProcessors(), "/sys/devices/system/cpu");
  if (count < 1 || count > all.size())
    throw std::runtime_error("--processors is " + std::to_string(count) + ", must be 1 to " +
                             std::to_string(all.size()) + ", the processors on which kiln-bench may run");
  const Mask mask;
  for (size_t i = 0; i < count; ++i)
    CPU_SET_S(all[i], Mask::size(), mask.set());
  if (sched_setaffinity(0, Mask::size(), mask.set()))
    throw std::runtime_error(std::string("the affinity mask cannot be set: ") + std::strerror(errno));
}

} // namespace bench
