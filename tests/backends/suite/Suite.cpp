#include "tests/backends/suite/Suite.h"
#include <cctype>
#include <cstdlib>

namespace kiln::suite {

cl_platform_id platform() {
  const char *other = std::getenv("KILN_SUITE_PLATFORM");
  const std::string wanted = other ? other : "Kiln";
  cl_uint count = 0;
  clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> all(count);
  if (count)
    clGetPlatformIDs(count, all.data(), nullptr);
  for (cl_platform_id one : all)
    if (queryText(clGetPlatformInfo, one, CL_PLATFORM_NAME).find(wanted) != std::string::npos)
      return one;
  return nullptr;
}

const std::vector<cl_device_id> &devices() {
  static const std::vector<cl_device_id> found = [] {
    std::vector<cl_device_id> all;
    cl_uint count = 0;
    if (cl_platform_id one = platform();
        one && clGetDeviceIDs(one, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) == CL_SUCCESS) {
      all.resize(count);
      clGetDeviceIDs(one, CL_DEVICE_TYPE_ALL, count, all.data(), nullptr);
    }
    return all;
  }();
  return found;
}

std::ostream &operator<<(std::ostream &out, const DeviceIndex &device) {
  return out << queryText(clGetDeviceInfo, devices()[device.index], CL_DEVICE_NAME).c_str();
}

std::vector<DeviceIndex> deviceIndices() {
  std::vector<DeviceIndex> indices;
  for (size_t i = 0; i < devices().size(); ++i)
    indices.push_back({i});
  return indices;
}

std::string deviceLabel(const testing::TestParamInfo<DeviceIndex> &info) {
  std::string label = "Device" + std::to_string(info.param.index) + "_";
  for (char c : queryText(clGetDeviceInfo, devices()[info.param.index], CL_DEVICE_NAME))
    if (std::isalnum(static_cast<unsigned char>(c)))
      label += c;
  return label;
}

void InContext::open(const std::vector<cl_device_id> &which) {
  cl_int code = 1;
  context = clCreateContext(nullptr, cl_uint(which.size()), which.data(), nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
}

Queue InContext::makeQueue(cl_device_id device, cl_command_queue_properties properties) {
  cl_int code = 1;
  const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
  Queue made = clCreateCommandQueueWithProperties(context, device, list, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  return made;
}

Mem InContext::buffer(size_t bytes, cl_mem_flags flags, void *host) {
  cl_int code = 1;
  Mem made = clCreateBuffer(context, flags, bytes, host, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  return made;
}

Program InContext::build(const char *source, const char *options) {
  cl_int code = 1;
  Program program = clCreateProgramWithSource(context, 1, &source, nullptr, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  code = clBuildProgram(program, 0, nullptr, options, nullptr, nullptr);
  EXPECT_EQ(code, CL_SUCCESS);
  if (code == CL_SUCCESS)
    return program;
  for (cl_device_id device : queryList<cl_device_id>(clGetContextInfo, context.get(), CL_CONTEXT_DEVICES))
    ADD_FAILURE() << queryText(clGetProgramBuildInfo, program.get(), device, CL_PROGRAM_BUILD_LOG).c_str();
  return {};
}

Kernel InContext::kernel(cl_program program, const char *name) {
  cl_int code = 1;
  Kernel made = clCreateKernel(program, name, &code);
  EXPECT_EQ(code, CL_SUCCESS) << name;
  return made;
}

void InContext::launch(cl_command_queue queue, cl_kernel kernel, std::vector<size_t> global, std::vector<size_t> local,
                       std::vector<size_t> offset, std::vector<cl_event> waits, cl_event *event) {
  EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, cl_uint(global.size()), offset.empty() ? nullptr : offset.data(),
                                   global.data(), local.empty() ? nullptr : local.data(), cl_uint(waits.size()),
                                   waits.empty() ? nullptr : waits.data(), event),
            CL_SUCCESS);
}

void OnDevice::SetUp() {
  device = devices()[GetParam().index];
  open({device});
  queue = makeQueue(device);
}

bool OnDevice::has(const std::string &extension) const {
  std::string all = " " + std::string(queryText(clGetDeviceInfo, device, CL_DEVICE_EXTENSIONS).c_str()) + " ";
  return all.find(" " + extension + " ") != std::string::npos;
}

std::vector<unsigned char> randomBytes(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<unsigned char> bytes(count);
  for (unsigned char &byte : bytes)
    byte = static_cast<unsigned char>(random());
  return bytes;
}

} // namespace kiln::suite

int main(int argc, char **argv) {
  // Two CPU devices on any machine, so that the tests with several devices run.
  setenv("KILN_CPU_DEVICES", "2", 0);
  testing::InitGoogleTest(&argc, argv);
  if (kiln::suite::devices().empty()) {
    std::fprintf(stderr, "there is no such platform, or it has no device: is OCL_ICD_VENDORS set?\n");
    return 1;
  }
  return RUN_ALL_TESTS();
}
