// Pipes (OpenCL 2.0) for the benchmarks and the demo. Must be included before any other OpenCL header. A program must
// check hasPipes before it creates one.
#pragma once
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 200
#endif
#include "bench/opencl/Opencl.h"
#include <cstdint>

namespace bench {

inline bool hasPipes(cl_device_id device) {
  cl_uint largest = 0;
  return clGetDeviceInfo(device, CL_DEVICE_PIPE_MAX_PACKET_SIZE, sizeof(largest), &largest, nullptr) == CL_SUCCESS &&
         largest;
}

inline Mem createPipe(const Session &session, size_t packetSize, size_t packets) {
  cl_int code = CL_SUCCESS;
  Mem made = clCreatePipe(session.context, 0, cl_uint(packetSize), cl_uint(packets), nullptr, &code);
  check(code, "clCreatePipe");
  return made;
}

/// Returns true if the list contains each number below its size once. The order does not matter: a pipe has none.
inline bool isComplete(const std::vector<uint32_t> &list) {
  std::vector<bool> seen(list.size());
  for (uint32_t number : list) {
    if (number >= list.size() || seen[number])
      return false;
    seen[number] = true;
  }
  return true;
}

} // namespace bench
