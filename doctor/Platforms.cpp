#define CL_TARGET_OPENCL_VERSION 120
#include "doctor/Checks.h"
#include "doctor/Child.h"
#include <CL/cl.h>
#include <dlfcn.h>
#include <sstream>
#include <utility>

namespace kiln::doctor {
namespace {

/// OpenCL through a loader that is opened at run time, because kiln-doctor must start without one.
struct OpenCL {
#define KILN_CALL(name) decltype(&::name) name = nullptr;
#define KILN_CALLS(X)                                                                                                  \
  X(clGetPlatformIDs)                                                                                                  \
  X(clGetPlatformInfo)                                                                                                 \
  X(clGetDeviceIDs)                                                                                                    \
  X(clGetDeviceInfo)                                                                                                   \
  X(clCreateContext)                                                                                                   \
  X(clCreateCommandQueue)                                                                                              \
  X(clCreateBuffer)                                                                                                    \
  X(clCreateProgramWithSource)                                                                                         \
  X(clBuildProgram)                                                                                                    \
  X(clGetProgramBuildInfo)                                                                                             \
  X(clCreateKernel)                                                                                                    \
  X(clSetKernelArg)                                                                                                    \
  X(clEnqueueNDRangeKernel)                                                                                            \
  X(clEnqueueReadBuffer)
  KILN_CALLS(KILN_CALL)
#undef KILN_CALL
  explicit OpenCL(void *library) {
#define KILN_CALL(name) name = reinterpret_cast<decltype(name)>(dlsym(library, #name));
    KILN_CALLS(KILN_CALL)
#undef KILN_CALL
  }
};

template <typename Query, typename Object> std::string textOf(Query query, Object object, cl_uint what) {
  char words[256] = "";
  query(object, what, sizeof words - 1, words, nullptr);
  return words;
}

/// Why a kernel does not run, in one line; empty if its results are right.
std::string whyNotRun(const OpenCL &cl, cl_device_id device) {
  cl_int code = CL_SUCCESS;
  cl_context context = cl.clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  if (code != CL_SUCCESS)
    return "clCreateContext returned " + std::to_string(code);
  cl_command_queue queue = cl.clCreateCommandQueue(context, device, 0, &code);
  if (code != CL_SUCCESS)
    return "clCreateCommandQueue returned " + std::to_string(code);
  const char *source = "kernel void k(global int *o) { o[get_global_id(0)] = get_global_id(0) * 3; }";
  cl_program program = cl.clCreateProgramWithSource(context, 1, &source, nullptr, &code);
  if (code != CL_SUCCESS)
    return "clCreateProgramWithSource returned " + std::to_string(code);
  if ((code = cl.clBuildProgram(program, 1, &device, "", nullptr, nullptr)) != CL_SUCCESS) {
    char log[2000] = "";
    cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, nullptr);
    std::string line = log;
    for (char &c : line)
      c = c == '\n' ? ' ' : c;
    return "clBuildProgram returned " + std::to_string(code) + ": " + line;
  }
  cl_kernel kernel = cl.clCreateKernel(program, "k", &code);
  constexpr size_t Items = 1000;
  int results[Items] = {};
  cl_mem memory = cl.clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof results, nullptr, nullptr);
  if (code == CL_SUCCESS)
    code = cl.clSetKernelArg(kernel, 0, sizeof memory, &memory);
  if (code == CL_SUCCESS)
    code = cl.clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &Items, nullptr, 0, nullptr, nullptr);
  if (code == CL_SUCCESS)
    code = cl.clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof results, results, 0, nullptr, nullptr);
  if (code != CL_SUCCESS)
    return "the launch of a kernel failed with " + std::to_string(code);
  for (size_t i = 0; i < Items; ++i)
    if (results[i] != int(i) * 3)
      return "a kernel has a wrong result";
  return {};
}

/// A line for each platform and device: level, what, advice, separated by tabs.
std::string describe(const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return "problem\tthere is no OpenCL loader\tinstall one\n";
  const OpenCL cl(handle);
  cl_uint count = 0;
  cl_platform_id platforms[64];
  const cl_int code = cl.clGetPlatformIDs(64, platforms, &count);
  if (code != CL_SUCCESS || !count)
    return "problem\tthe loader finds no OpenCL platform\tsee the .icd files above\n";
  std::string lines;
  bool hasKiln = false;
  for (cl_uint i = 0; i < count && i < 64; ++i) {
    const std::string name = textOf(cl.clGetPlatformInfo, platforms[i], CL_PLATFORM_NAME);
    if (name != "Kiln") {
      lines.append("good\tplatform ").append(name).append("\t\n");
      continue;
    }
    hasKiln = true;
    cl_device_id devices[64];
    cl_uint found = 0;
    if (cl.clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 64, devices, &found) != CL_SUCCESS || !found)
      lines += "problem\tKiln has no device\tunset KILN_DEVICES; KILN_LOG=info,device names the reason\n";
    for (cl_uint k = 0; k < found && k < 64; ++k) {
      const std::string device = textOf(cl.clGetDeviceInfo, devices[k], CL_DEVICE_NAME);
      const std::string why = whyNotRun(cl, devices[k]);
      lines.append(why.empty() ? "good" : "problem").append("\tplatform Kiln, device ").append(device);
      lines.append(why.empty() ? " runs a kernel\t\n" : ": ").append(why);
      if (!why.empty())
        lines += "\tKILN_LOG=info,compile,device names the reason\n";
    }
  }
  if (!hasKiln)
    lines += "problem\tthe loader finds other platforms, but not Kiln\tsee the .icd files above\n";
  return lines;
}

} // namespace

Findings checkPlatforms(const std::string &library) {
  const ChildResult result = inChild([&] { return describe(library); }, 120);
  Findings all;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find('\t'), second = line.find('\t', first + 1);
    const std::string what = line.substr(first + 1, second - first - 1), advice = line.substr(second + 1);
    all.push_back(line.starts_with("good") ? good(what) : problem(what, advice));
  }
  if (!result.failure.empty())
    all.push_back(problem("a program that uses OpenCL " + result.failure,
                          "a library that an .icd file names is broken; remove the files one by one"));
  return all;
}

} // namespace kiln::doctor
