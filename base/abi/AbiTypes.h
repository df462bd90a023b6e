// Integer types for the headers that the device library (dialects/library, C++ for OpenCL) shares with the host.
#pragma once
#ifdef __OPENCL_CPP_VERSION__
using int32_t = int;
using uint32_t = uint;
using uint64_t = ulong;
#else
#include <cstddef>
#include <cstdint>
#endif
