#include "bench/opencl/Opencl.h"
#include <cstring>

namespace bench {

cl_platform_id findPlatform(std::string_view name) {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || !count)
    throw std::runtime_error("the OpenCL loader finds no platform");
  std::vector<cl_platform_id> all(count);
  check(clGetPlatformIDs(count, all.data(), nullptr), "clGetPlatformIDs");
  std::string names;
  for (cl_platform_id platform : all) {
    std::string found = text(clGetPlatformInfo, platform, CL_PLATFORM_NAME);
    if (found.find(name) != std::string::npos)
      return platform;
    names += " '" + found + "'";
  }
  throw std::runtime_error("no platform's name contains '" + std::string(name) + "'; the platforms are:" + names);
}

std::vector<cl_device_id> devicesOf(cl_platform_id platform) {
  cl_uint count = 0;
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count), "clGetDeviceIDs");
  std::vector<cl_device_id> all(count);
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, all.data(), nullptr), "clGetDeviceIDs");
  return all;
}

Session::Session(cl_device_id device) : device(device) {
  cl_int code = CL_SUCCESS;
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  check(code, "clCreateContext");
  queue = clCreateCommandQueue(context, device, 0, &code);
  check(code, "clCreateCommandQueue");
}

void buildProgram(cl_device_id device, cl_program program, const char *options) {
  const cl_int code = clBuildProgram(program, 1, &device, options, nullptr, nullptr);
  if (code == CL_SUCCESS)
    return;
  size_t size = 0;
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  log.resize(size ? size - 1 : 0); // without the terminator
  throw std::runtime_error(failureOf("clBuildProgram", code) + "\n" + log);
}

Program Session::build(std::string_view source, const char *options) const {
  cl_int code = CL_SUCCESS;
  const char *start = source.data();
  size_t length = source.size();
  Program program = clCreateProgramWithSource(context, 1, &start, &length, &code);
  check(code, "clCreateProgramWithSource");
  buildProgram(device, program, options);
  return program;
}

Kernel Session::kernel(cl_program program, const char *name) const {
  cl_int code = CL_SUCCESS;
  Kernel made = clCreateKernel(program, name, &code);
  check(code, "clCreateKernel");
  return made;
}

Mem Session::buffer(size_t bytes, cl_mem_flags flags) const {
  cl_int code = CL_SUCCESS;
  Mem made = clCreateBuffer(context, flags, bytes, nullptr, &code);
  check(code, "clCreateBuffer");
  return made;
}

static constexpr std::pair<std::string_view, std::string_view> sources[] = {
#include "bench/Kernels.inc"
};

std::string_view kernelSource(std::string_view name) {
  for (const auto &[file, source] : sources)
    if (file == name)
      return source;
  throw std::runtime_error("bench/kernels/" + std::string(name) + ".cl does not exist");
}

} // namespace bench
