#include "tests/process/life/Application.h"
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <unistd.h>

namespace kiln::life {
namespace {

constexpr size_t Items = 4096, LocalSize = 64, ImageSize = 16;
constexpr int Unusable = 3; // the exit status

/// Kernels with a loop and a barrier, whose plans ask for variants of local sizes, and one that reads an image, which
/// has variants on every device.
std::string sourceOf(unsigned number, unsigned kernels) {
  std::string text = "constant int number = " + std::to_string(number) + ";\n";
  for (unsigned i = 0; i < kernels; ++i)
    text += "kernel void k" + std::to_string(i) +
            "(global int *p, read_only image2d_t image) {\n"
            "  local int shared[64];\n"
            "  size_t id = get_local_id(0);\n"
            "  shared[id] = p[get_global_id(0)] + number + " +
            std::to_string(i) +
            ";\n"
            "  barrier(CLK_LOCAL_MEM_FENCE);\n"
            "  int sum = 0;\n"
            "  for (size_t i = 0; i < get_local_size(0); ++i)\n"
            "    sum += shared[i] * (int)i;\n"
            "  p[get_global_id(0)] = sum + (int)(read_imagef(image, (int2)(id % 16, 0)).x);\n"
            "}\n";
  return text;
}

} // namespace

void Application::check(cl_int code, const char *call) const {
  if (code == CL_SUCCESS)
    return;
  std::fprintf(stderr, "%s returned %d before the end\n", call, code);
  _exit(Unusable);
}

void Application::load() {
  if (library_)
    return;
  library_ = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library_) {
    std::fprintf(stderr, "%s\n", dlerror());
    _exit(Unusable);
  }
#define LIFE_FIND(name) cl.name = reinterpret_cast<decltype(&::name)>(dlsym(library_, #name));
  LIFE_FUNCTIONS(LIFE_FIND)
#undef LIFE_FIND
}

void Application::platform() {
  if (device)
    return;
  load();
  cl_platform_id all[16];
  cl_uint count = 0;
  check(cl.clGetPlatformIDs(16, all, &count), "clGetPlatformIDs");
  for (cl_uint i = 0; i < count && i < 16; ++i) {
    char name[64] = "";
    if (cl.clGetPlatformInfo(all[i], CL_PLATFORM_NAME, sizeof name, name, nullptr) == CL_SUCCESS &&
        std::string(name) == "Kiln")
      kiln = all[i];
  }
  check(cl.clGetDeviceIDs(kiln, settings_.device, 1, &device, nullptr), "clGetDeviceIDs");
}

void Application::context() {
  if (usedContext)
    return;
  platform();
  cl_int code = 1;
  usedContext = cl.clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  check(code, "clCreateContext");
  queue = cl.clCreateCommandQueueWithProperties(usedContext, device, nullptr, &code);
  check(code, "clCreateCommandQueueWithProperties");
  buffer = cl.clCreateBuffer(usedContext, CL_MEM_READ_WRITE, data.size() * sizeof(int), nullptr, &code);
  check(code, "clCreateBuffer");
  const cl_image_format format{CL_RGBA, CL_FLOAT};
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = shape.image_height = ImageSize;
  image = cl.clCreateImage(usedContext, CL_MEM_READ_ONLY, &format, &shape, nullptr, &code);
  check(code, "clCreateImage");
}

cl_program Application::newProgram(unsigned more) {
  const std::string text = sourceOf(settings_.number + more, settings_.kernels);
  const char *pointer = text.c_str();
  cl_int code = 1;
  cl_program made = cl.clCreateProgramWithSource(usedContext, 1, &pointer, nullptr, &code);
  return code == CL_SUCCESS ? made : nullptr;
}

void Application::source() {
  if (program)
    return;
  context();
  program = newProgram(0);
  check(program ? CL_SUCCESS : CL_INVALID_VALUE, "clCreateProgramWithSource");
}

void Application::build() {
  if (!kernels.empty())
    return;
  source();
  const cl_int built = cl.clBuildProgram(program, 1, &device, "", nullptr, nullptr);
  if (built != CL_SUCCESS) {
    std::string log(1 << 16, 0);
    cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
    std::fprintf(stderr, "%s\n", log.c_str());
  }
  check(built, "clBuildProgram");
  for (unsigned i = 0; i < settings_.kernels; ++i) {
    cl_int code = 1;
    kernels.push_back(cl.clCreateKernel(program, ("k" + std::to_string(i)).c_str(), &code));
    check(code, "clCreateKernel");
    check(cl.clSetKernelArg(kernels.back(), 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(cl.clSetKernelArg(kernels.back(), 1, sizeof image, &image), "clSetKernelArg");
  }
}

cl_int Application::launchAll() {
  cl_int result = CL_SUCCESS;
  for (cl_kernel kernel : kernels)
    if (cl_int code = cl.clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &Items, &LocalSize, 0, nullptr, nullptr))
      result = code;
  const cl_int flushed = cl.clFlush(queue);
  return result ? result : flushed;
}

void Application::launch() {
  build();
  check(launchAll(), "clEnqueueNDRangeKernel");
}

void Application::requestVariants() {
  launch();
  launch();
}

void Application::finish() { check(cl.clFinish(queue), "clFinish"); }

void Application::release() {
  for (cl_kernel kernel : kernels)
    cl.clReleaseKernel(kernel);
  kernels.clear();
  if (program)
    cl.clReleaseProgram(program);
  if (buffer)
    cl.clReleaseMemObject(buffer);
  if (image)
    cl.clReleaseMemObject(image);
  if (queue)
    cl.clReleaseCommandQueue(queue);
  if (usedContext)
    cl.clReleaseContext(usedContext);
  program = nullptr, buffer = image = nullptr, queue = nullptr, usedContext = nullptr;
}

void Application::unload() {
  dlclose(library_);
  library_ = nullptr;
}

void Application::use() {
  launchAll();
  cl.clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, Items * sizeof(int), data.data(), 0, nullptr, nullptr);
  cl.clFinish(queue);
}

void Application::useBuffers() {
  cl_int code = 1;
  std::vector<int> own(Items);
  const size_t bytes = own.size() * sizeof(int);
  cl_mem made = cl.clCreateBuffer(usedContext, CL_MEM_READ_WRITE, bytes, nullptr, &code);
  if (code != CL_SUCCESS)
    return;
  cl.clEnqueueWriteBuffer(queue, made, CL_TRUE, 0, bytes, own.data(), 0, nullptr, nullptr);
  void *mapped = cl.clEnqueueMapBuffer(queue, made, CL_TRUE, CL_MAP_READ, 0, bytes, 0, nullptr, nullptr, &code);
  if (code == CL_SUCCESS)
    cl.clEnqueueUnmapMemObject(queue, made, mapped, 0, nullptr, nullptr);
  cl.clReleaseMemObject(made);
}

void Application::buildAgain() {
  static std::atomic<unsigned> more = 0;
  cl_program made = newProgram(++more);
  if (!made)
    return;
  cl.clBuildProgram(made, 1, &device, "", nullptr, nullptr);
  cl.clReleaseProgram(made);
}

void Application::enqueueBehindUserEvent() {
  cl_int code = 1;
  cl_event gate = cl.clCreateUserEvent(usedContext, &code);
  for (cl_kernel kernel : kernels)
    cl.clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &Items, &LocalSize, 1, &gate, nullptr);
  cl.clFlush(queue);
}

void Application::readLater() {
  cl.clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, data.size() * sizeof(int), data.data(), 0, nullptr, nullptr);
  cl.clFlush(queue);
}

void endBegins() {
  static bool done = false;
  const char *number = std::getenv("KILN_LIFE_PIPE");
  if (!number || done)
    return;
  done = true;
  signal(SIGPIPE, SIG_IGN); // a daemon may outlive the pipe's reader
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  [[maybe_unused]] const ssize_t written = write(std::atoi(number), &now, sizeof now);
}

} // namespace kiln::life
