// The reasons for a lowered clock of an NVIDIA GPU, from NVIDIA's management library (NVML).
#pragma once
#include "bench/measure/ClockWatch.h"
#include <memory>
#include <string>

namespace bench {

/// A sample counts as throttled if NVML names a reason after it: the power limit, a temperature, or the board's power
/// brake. Clocks that are low because the GPU is idle, or because the application set them, are no reasons.
class NvmlClock : public ClockWatch {
public:
  /// `address` is the PCI bus address, 0000:18:00.0. Returns null with the reason if the library or the device is not
  /// found.
  static std::unique_ptr<NvmlClock> open(const char *library, const std::string &address, std::string &why);
  ~NvmlClock() override;
  void begin() override {}
  bool throttled() override;

private:
  NvmlClock() = default;
  void *library_ = nullptr;
  int (*shutDown_)() = nullptr;
  int (*reasons_)(void *device, unsigned long long *reasons) = nullptr;
  void *device_ = nullptr;
};

} // namespace bench
