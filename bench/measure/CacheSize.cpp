#include "bench/measure/CacheSize.h"
#include <algorithm>
#include <unistd.h>

namespace bench {

size_t cacheBytes(cl_device_id device) {
  constexpr cl_ulong Least = cl_ulong(16) << 20;
  cl_ulong bytes = 0;
  check(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof bytes, &bytes, nullptr), "clGetDeviceInfo");
  cl_device_type type = 0;
  check(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr), "clGetDeviceInfo");
  if (type & CL_DEVICE_TYPE_CPU)
    bytes = std::max(bytes, cl_ulong(std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE))));
  return size_t(std::max(bytes, Least));
}

} // namespace bench
