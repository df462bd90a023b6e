#include "tests/api/ApiTest.h"
#include <cstdlib>
#include <dlfcn.h>

namespace kiln::test {
namespace {

/// Sets switches that the environment has not set: three CPU devices of four compute units each on any machine, for the
/// rules of several devices and of sub-devices (most tests use the first device), and no cache, so that every build
/// compiles.
struct Switches : testing::Environment {
  void SetUp() override {
    setenv("KILN_CPU_DEVICES", "3", 0);
    setenv("KILN_CPU_THREADS", "4", 0);
    setenv("KILN_CACHE", "off", 0);
  }
};
[[maybe_unused]] testing::Environment *const switches = testing::AddGlobalTestEnvironment(new Switches);

} // namespace

cl_platform_id platform() {
  cl_uint count = 0;
  clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> all(count);
  if (count)
    clGetPlatformIDs(count, all.data(), nullptr);
  for (cl_platform_id one : all)
    if (queryText(clGetPlatformInfo, one, CL_PLATFORM_NAME) == "Kiln")
      return one;
  return nullptr;
}

bool hasSanitizer() { return dlsym(RTLD_DEFAULT, "__asan_init") || dlsym(RTLD_DEFAULT, "__tsan_init"); }

void WithDevice::SetUp() {
  platform = test::platform();
  ASSERT_NE(platform, nullptr)
      << "the loader does not find Kiln: is OCL_ICD_VENDORS set to the build's api folder with a slash at its end?";
  ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, nullptr), CL_SUCCESS);
  // ctest runs the suite a second time on the last device, which has its own memory node.
  if (onLastDevice()) {
    cl_uint count = 0;
    ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count), CL_SUCCESS);
    std::vector<cl_device_id> all(count);
    ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, all.data(), nullptr), CL_SUCCESS);
    device = all.back();
  }
}

bool onLastDevice() {
  const char *name = getenv("KILN_TEST_DEVICE");
  return name && std::string_view(name) == "last";
}

void WithContext::SetUp() {
  ASSERT_NO_FATAL_FAILURE(WithDevice::SetUp());
  cl_int code = 1;
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
}

Mem WithContext::buffer(size_t size, cl_mem_flags flags, void *host, cl_context in) {
  cl_int code = 1;
  Mem made = clCreateBuffer(in ? in : context.get(), flags, size, host, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  return made;
}

void WithQueue::SetUp() {
  ASSERT_NO_FATAL_FAILURE(WithContext::SetUp());
  cl_int code = 1;
  otherContext = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  queue = makeQueue(CL_QUEUE_PROFILING_ENABLE);
}

Queue WithQueue::makeQueue(cl_command_queue_properties properties, cl_context in) {
  cl_int code = 1;
  cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
  Queue made = clCreateCommandQueueWithProperties(in ? in : context.get(), device, list, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  return made;
}

Event WithQueue::userEvent(cl_context in) {
  cl_int code = 1;
  Event made = clCreateUserEvent(in ? in : context.get(), &code);
  EXPECT_EQ(code, CL_SUCCESS);
  return made;
}

} // namespace kiln::test
