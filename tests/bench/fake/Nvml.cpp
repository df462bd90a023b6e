// NVML with one device, at 0000:18:00.0. FAKE_NVML_REASONS are the reasons for its clock.
#include <cstdlib>
#include <cstring>

#define NVML_ENTRY extern "C" __attribute__((visibility("default"))) int

static constexpr int Success = 0, NotFound = 6;
static int device;

NVML_ENTRY nvmlInit_v2() { return Success; }
NVML_ENTRY nvmlShutdown() { return Success; }
NVML_ENTRY nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **result) {
  *result = &device;
  return std::strcmp(address, "0000:18:00.0") == 0 ? Success : NotFound;
}
NVML_ENTRY nvmlDeviceGetCurrentClocksThrottleReasons(void *, unsigned long long *reasons) {
  const char *text = std::getenv("FAKE_NVML_REASONS");
  *reasons = text ? std::strtoull(text, nullptr, 16) : 0;
  return Success;
}
