// Counters of the processors and of Linux for all threads of this process (perf_event_open).
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

struct CounterValue {
  std::string name;
  double count;
};

/// Counts while `work` runs. Counters that share a register of the processor in turn are scaled to the whole time.
/// Counters that the kernel does not allow or the processor does not have are missing from the result, and are named in
/// `unavailable` with the kernel's reason.
std::vector<CounterValue> countDuring(const std::function<void()> &work, std::vector<std::string> &unavailable);

} // namespace bench
