// Splits one computation across all devices of a platform.
#pragma once
#include "bench/opencl/Opencl.h"

namespace bench {

/// Draws one Mandelbrot set into one buffer of one context. All devices run at the same time, each on a band of rows
/// whose size is proportional to its measured speed. Prints the bands. Returns false if the picture is wrong.
bool splitOverAll(const std::vector<cl_device_id> &devices);

} // namespace bench
