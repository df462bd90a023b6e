// One context with two devices: what is per device, what is shared, and what a device outside may not do.
#include "tests/api/ProgramTest.h"

namespace kiln::test {

struct SeveralDevices : WithProgram {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithProgram::SetUp());
    cl_uint count = 0;
    ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 2, devices, &count), CL_SUCCESS);
    ASSERT_GE(count, 2u);
    cl_int code = 1;
    both = clCreateContext(nullptr, 2, devices, nullptr, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    for (int i = 0; i < 2; ++i)
      queues[i] = clCreateCommandQueue(both, devices[i], 0, nullptr);
  }
  cl_device_id devices[2] = {};
  Context both;
  Queue queues[2];
};

TEST_F(SeveralDevices, ContextListsThem) {
  PROVES("API-4.4e API-4.4f");
  EXPECT_EQ(query<cl_uint>(clGetContextInfo, both.get(), CL_CONTEXT_NUM_DEVICES), 2u);
  EXPECT_EQ(queryList<cl_device_id>(clGetContextInfo, both.get(), CL_CONTEXT_DEVICES),
            (std::vector<cl_device_id>{devices[0], devices[1]}));
}

TEST_F(SeveralDevices, DeviceOutsideOfTheContext) {
  PROVES("API-5.1b");
  cl_int code = 1;
  EXPECT_EQ(clCreateCommandQueue(context, devices[1], 0, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_DEVICE);
  Program program = source(AddSource);
  EXPECT_EQ(clBuildProgram(program, 1, &devices[1], nullptr, nullptr, nullptr), CL_INVALID_DEVICE);
  EXPECT_EQ(clGetProgramBuildInfo(program, devices[1], CL_PROGRAM_BUILD_STATUS, 0, nullptr, nullptr),
            CL_INVALID_DEVICE);
}

// The second device sees what the first has written, ordered by nothing but the event between them.
TEST_F(SeveralDevices, BufferFollowsTheQueues) {
  PROVES("API-4.4f EXEC-3.3.2b API-5.1g");
  Mem shared = buffer(256, 0, nullptr, both), result = buffer(256, 0, nullptr, both);
  Program program = source("kernel void fill(global int *p) { p[get_global_id(0)] = get_global_id(0); }\n"
                           "kernel void twice(global const int *p, global int *q) {\n"
                           "  q[get_global_id(0)] = 2 * p[get_global_id(0)];\n}",
                           both);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(program);
  Kernel fill = kernel(program, "fill"), twice = kernel(program, "twice");
  set(fill, 0, shared);
  set(twice, 0, shared);
  set(twice, 1, result);
  size_t global = 64;
  Event filled, doubled;
  ASSERT_EQ(clEnqueueNDRangeKernel(queues[0], fill, 1, nullptr, &global, nullptr, 0, nullptr, filled.out()),
            CL_SUCCESS);
  ASSERT_EQ(clEnqueueNDRangeKernel(queues[1], twice, 1, nullptr, &global, nullptr, 1, filled.address(), doubled.out()),
            CL_SUCCESS);
  std::vector<int> found(64), expected(64);
  ASSERT_EQ(clEnqueueReadBuffer(queues[0], result, CL_TRUE, 0, 256, found.data(), 1, doubled.address(), nullptr),
            CL_SUCCESS);
  for (int i = 0; i < 64; ++i)
    expected[i] = 2 * i;
  EXPECT_EQ(found, expected);
}

TEST_F(SeveralDevices, ProgramBuiltForOne) {
  PROVES("API-5.8.4c API-5.8.9b API-5.10b");
  Program program = source("kernel void k(global int *p) { p[0] = 1; }", both);
  ASSERT_EQ(clBuildProgram(program, 1, &devices[0], nullptr, nullptr, nullptr), CL_SUCCESS) << log(program);
  EXPECT_EQ(query<cl_build_status>(clGetProgramBuildInfo, program.get(), devices[1], CL_PROGRAM_BUILD_STATUS),
            CL_BUILD_NONE);
  std::vector<size_t> sizes = queryList<size_t>(clGetProgramInfo, program.get(), CL_PROGRAM_BINARY_SIZES);
  ASSERT_EQ(sizes.size(), 2u);
  EXPECT_GT(sizes[0], 0u);
  EXPECT_EQ(sizes[1], 0u);
  Kernel k = kernel(program, "k");
  Mem out = buffer(4, 0, nullptr, both);
  set(k, 0, out);
  size_t one = 1;
  EXPECT_EQ(clEnqueueNDRangeKernel(queues[1], k, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
            CL_INVALID_PROGRAM_EXECUTABLE);
  EXPECT_EQ(clEnqueueNDRangeKernel(queues[0], k, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clFinish(queues[0]), CL_SUCCESS);
}

TEST_F(SeveralDevices, KernelQueryMustNameTheDevice) {
  PROVES("API-5.9.4b");
  Program program = source(AddSource, both);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(program);
  Kernel add = kernel(program, "add");
  size_t size;
  EXPECT_EQ(clGetKernelWorkGroupInfo(add, nullptr, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, nullptr),
            CL_INVALID_DEVICE);
  for (cl_device_id d : devices)
    EXPECT_EQ(clGetKernelWorkGroupInfo(add, d, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, nullptr), CL_SUCCESS);
}

TEST_F(SeveralDevices, EventsAcrossTheirQueues) {
  PROVES("API-5.11c EXEC-3.2e");
  Event gate = userEvent(both), first, second;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queues[0], 1, gate.address(), first.out()), CL_SUCCESS);
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queues[1], 1, first.address(), second.out()), CL_SUCCESS);
  clSetUserEventStatus(gate, -9);
  EXPECT_EQ(clWaitForEvents(1, second.address()), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}
} // namespace kiln::test
