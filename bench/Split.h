// One ND-range over all devices of a platform.
#pragma once
#include "bench/Opencl.h"

namespace bench {

/// Draws one Mandelbrot set in one buffer of one context, every device a band of rows as large as it is fast, all at the
/// same time; prints who did what. False when the picture is wrong.
bool splitOverAll(const std::vector<cl_device_id> &devices);

} // namespace bench
