// The size of a device's largest cache.
#pragma once
#include "bench/opencl/Opencl.h"

namespace bench {

/// In bytes; at least 16 MiB, because some platforms report none. For a CPU, the larger one of the platform's and the
/// host's number: a platform may report the cache of one core.
size_t cacheBytes(cl_device_id device);

} // namespace bench
