#include "bench/measure/NvmlClock.h"
#include <dlfcn.h>

namespace bench {
namespace {

// nvml.h: nvmlClocksThrottleReason... and nvmlReturn_t.
constexpr unsigned long long SwPowerCap = 0x4, HwSlowdown = 0x8, SwThermalSlowdown = 0x20, HwThermalSlowdown = 0x40,
                             HwPowerBrake = 0x80;
constexpr unsigned long long Throttled = SwPowerCap | HwSlowdown | SwThermalSlowdown | HwThermalSlowdown | HwPowerBrake;
constexpr int Success = 0;

template <typename Function> bool find(void *library, const char *name, Function *&function) {
  function = reinterpret_cast<Function *>(dlsym(library, name));
  return function;
}

} // namespace

std::unique_ptr<NvmlClock> NvmlClock::open(const char *library, const std::string &address, std::string &why) {
  std::unique_ptr<NvmlClock> watch(new NvmlClock);
  watch->library_ = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!watch->library_) {
    why = dlerror();
    return nullptr;
  }
  int (*start)() = nullptr;
  int (*byAddress)(const char *, void **) = nullptr;
  if (!find(watch->library_, "nvmlInit_v2", start) ||
      !find(watch->library_, "nvmlDeviceGetHandleByPciBusId_v2", byAddress) ||
      !find(watch->library_, "nvmlDeviceGetCurrentClocksThrottleReasons", watch->reasons_)) {
    why = std::string(library) + " lacks a function of NVML";
    return nullptr;
  }
  if (const int code = start(); code != Success) {
    why = "nvmlInit returned " + std::to_string(code);
    return nullptr;
  }
  find(watch->library_, "nvmlShutdown", watch->shutDown_);
  unsigned long long reasons = 0;
  int code = byAddress(address.c_str(), &watch->device_);
  if (code == Success)
    code = watch->reasons_(watch->device_, &reasons);
  if (code != Success) {
    why = "NVML returned " + std::to_string(code) + " for the device at " + address;
    return nullptr;
  }
  return watch;
}

NvmlClock::~NvmlClock() {
  if (shutDown_)
    shutDown_();
  if (library_)
    dlclose(library_);
}

bool NvmlClock::throttled() {
  unsigned long long reasons = 0;
  return reasons_(device_, &reasons) == Success && (reasons & Throttled);
}

} // namespace bench
