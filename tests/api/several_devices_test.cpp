// One context with two devices: state per device, shared state, and errors for devices outside the context.
#include "tests/api/ProgramTest.h"

namespace kiln::test {

struct SeveralDevices : WithProgram {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithProgram::SetUp());
    cl_uint count = 0;
    ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &count), CL_SUCCESS);
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
  cl_device_id other = devices[devices[0] == device];
  EXPECT_EQ(clCreateCommandQueue(context, other, 0, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_DEVICE);
  Program program = source(AddSource);
  EXPECT_EQ(clBuildProgram(program, 1, &other, nullptr, nullptr, nullptr), CL_INVALID_DEVICE);
  EXPECT_EQ(clGetProgramBuildInfo(program, other, CL_PROGRAM_BUILD_STATUS, 0, nullptr, nullptr), CL_INVALID_DEVICE);
}

// The devices require different alignments of sub-buffers. A sub-buffer that is aligned for the first device only can
// be created, and every command that uses it on a queue of the second returns CL_MISALIGNED_SUB_BUFFER_OFFSET.
TEST_F(SeveralDevices, SubBufferMisalignedForOneOfThem) {
  PROVES("R8 API-5.2.1f");
  size_t align[2];
  for (int i = 0; i < 2; ++i)
    align[i] = query<cl_uint>(clGetDeviceInfo, devices[i], CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  ASSERT_LT(align[0], align[1]);
  Mem parent = buffer(4 * align[1], 0, nullptr, both), other = buffer(64, 0, nullptr, both);
  cl_buffer_region region = {align[0], 64};
  cl_int code = 1;
  Mem part = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  ASSERT_EQ(code, CL_SUCCESS);

  Program program = source("kernel void set(global int *p) { p[get_global_id(0)] = 3; }", both);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(program);
  Kernel setter = kernel(program, "set");
  set(setter, 0, part);
  size_t origin[3] = {}, box[3] = {4, 4, 1}, global = 16;
  int data[16] = {};
  using Command = std::function<cl_int(cl_command_queue)>;
  const std::pair<const char *, Command> commands[] = {
      {"read", [&](auto q) { return clEnqueueReadBuffer(q, part, CL_TRUE, 0, 64, data, 0, nullptr, nullptr); }},
      {"write", [&](auto q) { return clEnqueueWriteBuffer(q, part, CL_TRUE, 0, 64, data, 0, nullptr, nullptr); }},
      {"read box",
       [&](auto q) {
         return clEnqueueReadBufferRect(q, part, CL_TRUE, origin, origin, box, 0, 0, 0, 0, data, 0, nullptr, nullptr);
       }},
      {"write box",
       [&](auto q) {
         return clEnqueueWriteBufferRect(q, part, CL_TRUE, origin, origin, box, 0, 0, 0, 0, data, 0, nullptr, nullptr);
       }},
      {"copy from", [&](auto q) { return clEnqueueCopyBuffer(q, part, other, 0, 0, 64, 0, nullptr, nullptr); }},
      {"copy to", [&](auto q) { return clEnqueueCopyBuffer(q, other, part, 0, 0, 64, 0, nullptr, nullptr); }},
      {"copy box from",
       [&](auto q) {
         return clEnqueueCopyBufferRect(q, part, other, origin, origin, box, 0, 0, 0, 0, 0, nullptr, nullptr);
       }},
      {"copy box to",
       [&](auto q) {
         return clEnqueueCopyBufferRect(q, other, part, origin, origin, box, 0, 0, 0, 0, 0, nullptr, nullptr);
       }},
      {"fill", [&](auto q) { return clEnqueueFillBuffer(q, part, data, 4, 0, 64, 0, nullptr, nullptr); }},
      {"map",
       [&](auto q) {
         void *mapped = clEnqueueMapBuffer(q, part, CL_TRUE, CL_MAP_READ, 0, 64, 0, nullptr, nullptr, &code);
         if (mapped)
           EXPECT_EQ(clEnqueueUnmapMemObject(q, part, mapped, 0, nullptr, nullptr), CL_SUCCESS);
         return code;
       }},
      {"kernel",
       [&](auto q) { return clEnqueueNDRangeKernel(q, setter, 1, nullptr, &global, nullptr, 0, nullptr, nullptr); }},
      {"task", [&](auto q) { return clEnqueueTask(q, setter, 0, nullptr, nullptr); }},
  };
  for (const auto &[name, command] : commands) {
    EXPECT_EQ(command(queues[0]), CL_SUCCESS) << name;
    EXPECT_EQ(clFinish(queues[0]), CL_SUCCESS);
    EXPECT_EQ(command(queues[1]), CL_MISALIGNED_SUB_BUFFER_OFFSET) << name;
  }
  EXPECT_EQ(query<cl_uint>(clGetMemObjectInfo, part.get(), CL_MEM_MAP_COUNT), 0u);
}

// A kernel on the second device reads what a kernel on the first has written; only an event orders them.
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

// One kernel object is launched alternately on two devices, each time with other arguments.
TEST_F(SeveralDevices, LaunchesAlternateBetweenDevices) {
  PROVES("API-4.4f EXEC-3.3.2b");
  constexpr int Rounds = 1000, Count = 256;
  Program program = source("kernel void step(global uint *p, uint add) {\n"
                           "  p[get_global_id(0)] = 3 * p[get_global_id(0)] + add;\n}",
                           both);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(program);
  Kernel step = kernel(program, "step");
  std::vector<cl_uint> expected(Count);
  std::iota(expected.begin(), expected.end(), 0u);
  Mem shared = buffer(Count * 4, CL_MEM_COPY_HOST_PTR, expected.data(), both);
  EXPECT_EQ(set(step, 0, shared), CL_SUCCESS);
  Event last;
  size_t global = Count;
  for (cl_uint round = 0; round < Rounds; ++round) {
    EXPECT_EQ(set(step, 1, round), CL_SUCCESS);
    Event next;
    ASSERT_EQ(clEnqueueNDRangeKernel(queues[round % 2], step, 1, nullptr, &global, nullptr, last ? 1 : 0,
                                     last ? last.address() : nullptr, next.out()),
              CL_SUCCESS);
    last = std::move(next);
    for (cl_uint &value : expected)
      value = 3 * value + round;
  }
  std::vector<cl_uint> found(Count);
  ASSERT_EQ(clEnqueueReadBuffer(queues[0], shared, CL_TRUE, 0, Count * 4, found.data(), 1, last.address(), nullptr),
            CL_SUCCESS);
  EXPECT_EQ(found, expected);
}

// Both devices write their half of one buffer concurrently.
TEST_F(SeveralDevices, DisjointSubBuffersAtOnce) {
  PROVES("API-4.4f");
  constexpr size_t Half = 64 << 10;
  Program program =
      source("kernel void fill(global int *p, int v) { p[get_global_id(0)] = v + get_global_id(0); }", both);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(program);
  Kernel fills[] = {kernel(program, "fill"), kernel(program, "fill")};
  Mem parent = buffer(2 * Half, 0, nullptr, both), halves[2];
  for (size_t i = 0; i < 2; ++i) {
    cl_buffer_region region{i * Half, Half};
    halves[i] = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
    EXPECT_EQ(set(fills[i], 0, halves[i]), CL_SUCCESS);
  }
  size_t global = Half / 4;
  for (int round = 0; round < 20; ++round) {
    Event done[2];
    for (int i : {round % 2, 1 - round % 2}) {
      EXPECT_EQ(set(fills[i], 1, 1000 * round + i), CL_SUCCESS);
      ASSERT_EQ(clEnqueueNDRangeKernel(queues[i], fills[i], 1, nullptr, &global, nullptr, 0, nullptr, done[i].out()),
                CL_SUCCESS);
      clFlush(queues[i]);
    }
    std::vector<int> found(Half / 2), expected(Half / 2);
    cl_event waits[] = {done[0], done[1]};
    ASSERT_EQ(clEnqueueReadBuffer(queues[round % 2], parent, CL_TRUE, 0, 2 * Half, found.data(), 2, waits, nullptr),
              CL_SUCCESS);
    for (int i = 0; i < 2; ++i)
      std::iota(expected.begin() + i * int(global), expected.begin() + (i + 1) * int(global), 1000 * round + i);
    ASSERT_EQ(found, expected) << round;
  }
}

TEST_F(SeveralDevices, ContextOfEveryDeviceOfATypeOrSeveral) {
  PROVES("API-4.4c");
  for (cl_device_type types :
       {cl_device_type(CL_DEVICE_TYPE_ALL), cl_device_type(CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU),
        cl_device_type(CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT)}) {
    cl_uint count = 0;
    ASSERT_EQ(clGetDeviceIDs(platform, types, 0, nullptr, &count), CL_SUCCESS);
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, cl_context_properties(platform), 0};
    cl_int code = 1;
    Context all = clCreateContextFromType(properties, types, nullptr, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    EXPECT_EQ(query<cl_uint>(clGetContextInfo, all.get(), CL_CONTEXT_NUM_DEVICES), count);
    Program program = source(AddSource, all);
    EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
    for (cl_device_id one : queryList<cl_device_id>(clGetContextInfo, all.get(), CL_CONTEXT_DEVICES))
      EXPECT_EQ(query<cl_build_status>(clGetProgramBuildInfo, program.get(), one, CL_PROGRAM_BUILD_STATUS),
                CL_BUILD_SUCCESS);
  }
}

// Each device's build log has the error. A build for one device does not change the other's build.
TEST_F(SeveralDevices, EachDeviceHasItsBuild) {
  PROVES("API-5.8.9b");
  Program broken = source("kernel void k(global int *p) { p[0] = nothing; }", both);
  EXPECT_EQ(clBuildProgram(broken, 0, nullptr, nullptr, nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  for (cl_device_id d : devices) {
    EXPECT_EQ(query<cl_build_status>(clGetProgramBuildInfo, broken.get(), d, CL_PROGRAM_BUILD_STATUS), CL_BUILD_ERROR);
    EXPECT_NE(queryText(clGetProgramBuildInfo, broken.get(), d, CL_PROGRAM_BUILD_LOG).find("nothing"),
              std::string::npos);
  }
  Program program = source("#ifdef BROKEN\n#error as asked\n#endif\nkernel void k(global int *p) { p[0] = 1; }", both);
  EXPECT_EQ(clBuildProgram(program, 1, &devices[1], nullptr, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clBuildProgram(program, 1, &devices[0], "-DBROKEN", nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_EQ(query<cl_build_status>(clGetProgramBuildInfo, program.get(), devices[0], CL_PROGRAM_BUILD_STATUS),
            CL_BUILD_ERROR);
  EXPECT_EQ(query<cl_build_status>(clGetProgramBuildInfo, program.get(), devices[1], CL_PROGRAM_BUILD_STATUS),
            CL_BUILD_SUCCESS);
  Kernel k = kernel(program, "k");
  Mem out = buffer(4, 0, nullptr, both);
  set(k, 0, out);
  size_t one = 1;
  EXPECT_EQ(clEnqueueNDRangeKernel(queues[1], k, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clFinish(queues[1]), CL_SUCCESS);
}

// Arguments (values, buffers, local memory) that are set before and between launches apply to every device, and are
// copied to a clone.
TEST_F(SeveralDevices, ArgumentsReachEveryDevice) {
  PROVES("API-5.9.2a");
  Program program = source("kernel void k(global int *p, int a, local int *l, int b) {\n"
                           "  l[get_local_id(0)] = a; p[get_global_id(0)] = 10 * l[get_local_id(0)] + b;\n}",
                           both);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(program);
  Kernel k = kernel(program, "k"), clone;
  Mem out[] = {buffer(16, 0, nullptr, both), buffer(16, 0, nullptr, both)};
  EXPECT_EQ(clSetKernelArg(k, 2, 16, nullptr), CL_SUCCESS);
  set(k, 0, out[0]);
  set(k, 1, 1);
  set(k, 3, 2);
  size_t four = 4;
  auto expect = [&](cl_kernel which, int device, cl_mem where, int value) {
    EXPECT_EQ(clEnqueueNDRangeKernel(queues[device], which, 1, nullptr, &four, &four, 0, nullptr, nullptr), CL_SUCCESS);
    int found[4] = {};
    EXPECT_EQ(clEnqueueReadBuffer(queues[device], where, CL_TRUE, 0, 16, found, 0, nullptr, nullptr), CL_SUCCESS);
    for (int one : found)
      EXPECT_EQ(one, value);
  };
  expect(k, 0, out[0], 12);
  expect(k, 1, out[0], 12);
  set(k, 1, 5);
  expect(k, 1, out[0], 52);
  clone = clCloneKernel(k, nullptr);
  set(k, 0, out[1]);
  set(k, 3, 7);
  expect(k, 0, out[1], 57);
  expect(k, 1, out[1], 57);
  expect(clone, 1, out[0], 52);
  expect(clone, 0, out[0], 52);
}
} // namespace kiln::test
