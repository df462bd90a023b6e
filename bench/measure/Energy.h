// Energy that the processors and their memory use (RAPL), read from Linux: /sys/class/powercap, or the perf events of
// the device "power". Both count the whole machine: other processes and idle processors as well.
#pragma once
#include "bench/measure/HardwareCounters.h"
#include <filesystem>
#include <memory>

namespace bench {

/// One counter of energy, for example of a package.
class EnergyCounter {
public:
  virtual ~EnergyCounter() = default;
  /// Joules since the last call, or since the counter was opened. Throws if the counter cannot be read.
  virtual double take() = 0;
};

/// The counters of a machine. `package` counts cores and caches, `dram` memory; a machine may lack the second.
struct EnergyMeter {
  std::vector<std::unique_ptr<EnergyCounter>> package, dram;

  /// The counters below `powercap` (/sys/class/powercap); if no package is readable there, those of `events`
  /// (/sys/bus/event_source/devices/power). Null if neither is readable, with the reasons in `why`.
  static std::unique_ptr<EnergyMeter> open(const std::filesystem::path &powercap, const std::filesystem::path &events,
                                           std::string &why);
};

/// Calls `work` until `seconds` have passed. Returns package_joules and dram_joules of one call, and package_watts. A
/// counter that did not count is left out: virtual machines have such ones.
std::vector<CounterValue> energyOf(EnergyMeter &meter, const std::function<void()> &work, double seconds);

} // namespace bench
