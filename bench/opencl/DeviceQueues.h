// Device queues (OpenCL 2.0) for the benchmarks and the demo. Must be included before any other OpenCL header.
#pragma once
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 200
#endif
#include "bench/opencl/Opencl.h"

namespace bench {

inline bool hasDeviceQueues(cl_device_id device) {
  cl_uint largest = 0;
  return clGetDeviceInfo(device, CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, sizeof(largest), &largest, nullptr) ==
             CL_SUCCESS &&
         largest;
}

/// Creates the default device queue of the session's device, with the largest size that the device allows.
inline Queue createDeviceQueue(const Session &session) {
  cl_uint largest = 0;
  check(clGetDeviceInfo(session.device, CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, sizeof(largest), &largest, nullptr),
        "clGetDeviceInfo");
  const cl_queue_properties properties[] = {
      CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
      CL_QUEUE_SIZE, largest, 0};
  cl_int code = CL_SUCCESS;
  Queue made = clCreateCommandQueueWithProperties(session.context, session.device, properties, &code);
  check(code, "clCreateCommandQueueWithProperties");
  return made;
}

} // namespace bench
