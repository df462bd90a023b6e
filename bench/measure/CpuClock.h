// The processors' clocks, from Linux's files.
#pragma once
#include "bench/measure/ClockWatch.h"
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace bench {

/// A sample counts as throttled if
///   - a processor's counter of thermal events grew (thermal_throttle/*_throttle_count), or
///   - the fastest processor is slower than 90% of the highest frequency that was seen so far
///   (cpufreq/scaling_cur_freq,
///     which x86's kernel computes from APERF and MPERF). The fastest one, because idle processors are slow.
class CpuClock : public ClockWatch {
public:
  /// `root` is /sys/devices/system/cpu. Returns null with the reason if neither file is readable.
  static std::unique_ptr<CpuClock> open(const std::filesystem::path &root, std::string &why);
  void begin() override;
  bool throttled() override;

private:
  std::vector<std::filesystem::path> counters_, frequencies_;
  uint64_t events_ = 0;  // before the sample
  uint64_t highest_ = 0; // kHz
};

} // namespace bench
