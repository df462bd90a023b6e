// The watch of a device's clock.
#pragma once
#include "bench/measure/ClockWatch.h"
#include "bench/opencl/Opencl.h"
#include <memory>

namespace bench {

/// CPU devices are watched by the kernel's files (CpuClock.h), NVIDIA's GPUs by their library (NvmlClock.h). Returns
/// null with the reason in `why` if the clock cannot be watched.
std::unique_ptr<ClockWatch> watchClock(cl_device_id device, std::string &why);

} // namespace bench
