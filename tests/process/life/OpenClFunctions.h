// The functions of OpenCL that the program calls, from a loader that it opens itself and can close. The program does
// not link it.
#pragma once
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

namespace kiln::life {

// NOLINTBEGIN(readability-identifier-naming): OpenCL's names
#define LIFE_FUNCTIONS(X)                                                                                              \
  X(clGetPlatformIDs)                                                                                                  \
  X(clGetPlatformInfo)                                                                                                 \
  X(clGetDeviceIDs)                                                                                                    \
  X(clCreateContext)                                                                                                   \
  X(clReleaseContext)                                                                                                  \
  X(clCreateCommandQueueWithProperties)                                                                                \
  X(clReleaseCommandQueue)                                                                                             \
  X(clCreateBuffer)                                                                                                    \
  X(clCreateImage)                                                                                                     \
  X(clReleaseMemObject)                                                                                                \
  X(clCreateProgramWithSource)                                                                                         \
  X(clBuildProgram)                                                                                                    \
  X(clGetProgramBuildInfo)                                                                                             \
  X(clReleaseProgram)                                                                                                  \
  X(clCreateKernel)                                                                                                    \
  X(clReleaseKernel)                                                                                                   \
  X(clSetKernelArg)                                                                                                    \
  X(clEnqueueNDRangeKernel)                                                                                            \
  X(clEnqueueReadBuffer)                                                                                               \
  X(clEnqueueWriteBuffer)                                                                                              \
  X(clEnqueueMapBuffer)                                                                                                \
  X(clEnqueueUnmapMemObject)                                                                                           \
  X(clCreateUserEvent)                                                                                                 \
  X(clWaitForEvents)                                                                                                   \
  X(clReleaseEvent)                                                                                                    \
  X(clSetEventCallback)                                                                                                \
  X(clUnloadPlatformCompiler)                                                                                          \
  X(clFlush)                                                                                                           \
  X(clFinish)

struct OpenClFunctions {
#define LIFE_MEMBER(name) decltype(&::name) name = nullptr;
  LIFE_FUNCTIONS(LIFE_MEMBER)
#undef LIFE_MEMBER
};
// NOLINTEND(readability-identifier-naming)

} // namespace kiln::life
