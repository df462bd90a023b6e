// api/entry/Launch, and what it prepares: runtime/program/LaunchPreparation, CheckedLaunch.
#include "tests/api/ProgramTest.h"

namespace kiln::test {

inline constexpr const char *LaunchSource = R"(
kernel void ids(global uint *out) {
  size_t i = (get_global_id(2) - get_global_offset(2)) * get_global_size(1) * get_global_size(0) +
             (get_global_id(1) - get_global_offset(1)) * get_global_size(0) + get_global_id(0) - get_global_offset(0);
  out[i] = (uint)(get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2));
}
kernel void count(global uint *counter) { atomic_inc(counter); }
kernel __attribute__((reqd_work_group_size(4, 2, 1))) void required(global uint *counter) { atomic_inc(counter); }
kernel void sizes(global uint *out) {
  if (get_global_id(0) == get_global_size(0) - 1) {
    out[0] = get_local_size(0);
    out[1] = get_num_groups(0);
  }
}
kernel void scratch(global uint *out, local uint *memory) { memory[get_local_id(0)] = 1; out[0] = memory[0]; }
)";

struct EnqueueNDRangeKernel : WithProgram {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithProgram::SetUp());
    program = built(LaunchSource);
    out = buffer(65536);
    counter = zeroed(4);
  }
  Mem zeroed(size_t bytes) {
    std::vector<char> zeros(bytes);
    return buffer(bytes, CL_MEM_COPY_HOST_PTR, zeros.data());
  }
  Kernel with(const char *name, const Mem &argument) {
    Kernel k = kernel(program, name);
    EXPECT_EQ(set(k, 0, argument), CL_SUCCESS);
    return k;
  }
  cl_int run(cl_kernel k, cl_uint dim, const size_t *offset, const size_t *global, const size_t *local) {
    return clEnqueueNDRangeKernel(queue, k, dim, offset, global, local, 0, nullptr, nullptr);
  }
  Program program;
  Mem out, counter;
};

TEST_F(EnqueueNDRangeKernel, EnqueueRules) {
  PROVES("R5 R6 API-5.10b");
  Kernel k = with("count", counter);
  size_t global = 16;
  cl_event none = nullptr;
  Queue otherQueue = makeQueue(0, otherContext);
  Event foreign = userEvent(otherContext);
  EXPECT_EQ(clEnqueueNDRangeKernel(nullptr, k, 1, nullptr, &global, nullptr, 0, nullptr, &none),
            CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue, nullptr, 1, nullptr, &global, nullptr, 0, nullptr, &none), CL_INVALID_KERNEL);
  EXPECT_EQ(clEnqueueNDRangeKernel(otherQueue, k, 1, nullptr, &global, nullptr, 0, nullptr, &none), CL_INVALID_CONTEXT);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue, k, 1, nullptr, &global, nullptr, 1, foreign.address(), &none),
            CL_INVALID_CONTEXT);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue, k, 1, nullptr, &global, nullptr, 1, nullptr, &none),
            CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(none, nullptr);
  clSetUserEventStatus(foreign, CL_COMPLETE);
}

TEST_F(EnqueueNDRangeKernel, ArgumentUnset) {
  PROVES("API-5.10b");
  Kernel k = kernel(program, "count");
  size_t global = 16;
  EXPECT_EQ(run(k, 1, nullptr, &global, nullptr), CL_INVALID_KERNEL_ARGS);
}

TEST_F(EnqueueNDRangeKernel, WorkDimension) {
  PROVES("API-5.10b");
  Kernel k = with("count", counter);
  size_t global[4] = {1, 1, 1, 1};
  EXPECT_EQ(run(k, 0, nullptr, global, nullptr), CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(run(k, 4, nullptr, global, nullptr), CL_INVALID_WORK_DIMENSION);
}

TEST_F(EnqueueNDRangeKernel, OffsetOverflow) {
  PROVES("API-5.10b");
  Kernel k = with("count", counter);
  size_t global = 16, offset = SIZE_MAX - 8;
  EXPECT_EQ(run(k, 1, &offset, &global, nullptr), CL_INVALID_GLOBAL_OFFSET);
}

TEST_F(EnqueueNDRangeKernel, WorkItemSize) {
  PROVES("API-5.10b");
  Kernel k = with("count", counter);
  std::vector<size_t> most = queryList<size_t>(clGetDeviceInfo, device, CL_DEVICE_MAX_WORK_ITEM_SIZES);
  size_t global[3] = {1, 1, (most[2] + 1) * 2}, local[3] = {1, 1, most[2] + 1};
  EXPECT_EQ(run(k, 3, nullptr, global, local), CL_INVALID_WORK_ITEM_SIZE);
}

TEST_F(EnqueueNDRangeKernel, WorkGroupSize) {
  PROVES("API-5.10b API-5.10c");
  Kernel k = with("count", counter);
  size_t global = 16, zero = 0, three = 3;
  EXPECT_EQ(run(k, 1, nullptr, &global, &zero), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(run(k, 1, nullptr, &global, &three), CL_INVALID_WORK_GROUP_SIZE) << "OpenCL C 1.2: uniform groups only";
  size_t most = query<size_t>(clGetKernelWorkGroupInfo, k.get(), device, CL_KERNEL_WORK_GROUP_SIZE);
  size_t large[2] = {most, 2};
  EXPECT_EQ(run(k, 2, nullptr, large, large), CL_INVALID_WORK_GROUP_SIZE)
      << "more work-items than the kernel's maximum";
}

TEST_F(EnqueueNDRangeKernel, RequiredWorkGroupSize) {
  PROVES("API-5.10b API-5.10a LANG-1.7.2");
  Kernel k = with("required", counter);
  size_t global[3] = {8, 4, 1}, good[3] = {4, 2, 1}, bad[3] = {2, 4, 1};
  EXPECT_EQ(run(k, 3, nullptr, global, bad), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(run(k, 3, nullptr, global, good), CL_SUCCESS);
  EXPECT_EQ(run(k, 2, nullptr, global, nullptr), CL_SUCCESS) << "a null local size is replaced by the required one";
  EXPECT_EQ(read<unsigned>(counter, 1)[0], 64u);
}

TEST_F(EnqueueNDRangeKernel, GlobalSizeZeroOrNull) {
  PROVES("API-5.10a EXEC-3.2d");
  Kernel k = with("count", counter);
  size_t zero[2] = {16, 0};
  Event event;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue, k, 2, nullptr, zero, nullptr, 0, nullptr, event.out()), CL_SUCCESS);
  EXPECT_EQ(clWaitForEvents(1, event.address()), CL_SUCCESS);
  EXPECT_EQ(run(k, 1, nullptr, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(read<unsigned>(counter, 1)[0], 0u);
}

TEST_F(EnqueueNDRangeKernel, OneToThreeDimensionsWithOffsets) {
  PROVES("API-5.10a EXEC-3.2.1a");
  Kernel k = with("ids", out);
  size_t global[3] = {8, 6, 4}, offset[3] = {3, 5, 7};
  for (cl_uint dim = 1; dim <= 3; ++dim)
    for (const size_t *from : {static_cast<const size_t *>(nullptr), static_cast<const size_t *>(offset)}) {
      ASSERT_EQ(run(k, dim, from, global, nullptr), CL_SUCCESS);
      size_t nx = global[0], ny = dim > 1 ? global[1] : 1, nz = dim > 2 ? global[2] : 1;
      std::vector<unsigned> found = read<unsigned>(out, nx * ny * nz), expected;
      for (size_t z = 0; z < nz; ++z)
        for (size_t y = 0; y < ny; ++y)
          for (size_t x = 0; x < nx; ++x)
            expected.push_back(unsigned(x + (from ? 3 : 0) + 100 * (y + (from && dim > 1 ? 5 : 0)) +
                                        10000 * (z + (from && dim > 2 ? 7 : 0))));
      EXPECT_EQ(found, expected) << dim << (from ? " with offset" : "");
    }
}

TEST_F(EnqueueNDRangeKernel, EveryWorkItemOnce) {
  PROVES("API-5.10a");
  Kernel k = with("count", counter);
  size_t prime = 10007;
  ASSERT_EQ(run(k, 1, nullptr, &prime, nullptr), CL_SUCCESS) << "no local size divides it";
  EXPECT_EQ(read<unsigned>(counter, 1)[0], 10007u);
}

TEST_F(EnqueueNDRangeKernel, NonUniformGroupsSinceOpenCLC20) {
  PROVES("API-5.10c");
  Program newer = built(LaunchSource, "-cl-std=CL3.0");
  Kernel k = kernel(newer, "sizes");
  set(k, 0, out);
  size_t global = 20, local = 8;
  ASSERT_EQ(run(k, 1, nullptr, &global, &local), CL_SUCCESS);
  EXPECT_EQ(read<unsigned>(out, 2), (std::vector<unsigned>{4, 3}));
  Program uniform = built(LaunchSource, "-cl-std=CL3.0 -cl-uniform-work-group-size");
  Kernel strict = kernel(uniform, "sizes");
  set(strict, 0, out);
  EXPECT_EQ(run(strict, 1, nullptr, &global, &local), CL_INVALID_WORK_GROUP_SIZE);
}

// Smaller groups at the high end of each dimension: every work-item runs once, and get_local_size returns the size of
// its own group, also if the kernel requires the size of the others.
TEST_F(EnqueueNDRangeKernel, NonUniformGroupsInThreeDimensions) {
  PROVES("API-5.10c EXEC-3.2.1a");
  Program newer = built(R"(
#define SHAPE                                                                                                          \
  size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);       \
  out[i] += 1 + 10 * get_local_size(0) + 100 * get_local_size(1) + 1000 * get_local_size(2) +                          \
            10000 * get_enqueued_local_size(0);
kernel void shape(global uint *out) { SHAPE }
kernel __attribute__((reqd_work_group_size(4, 2, 2))) void fixed_shape(global uint *out) { SHAPE }
)",
                        "-cl-std=CL3.0");
  size_t global[3] = {7, 5, 3}, local[3] = {4, 2, 2};
  std::vector<unsigned> expected;
  for (size_t z = 0; z < 3; ++z)
    for (size_t y = 0; y < 5; ++y)
      for (size_t x = 0; x < 7; ++x)
        expected.push_back(1 + 10 * (x < 4 ? 4 : 3) + 100 * (y < 4 ? 2 : 1) + 1000 * (z < 2 ? 2 : 1) + 10000 * 4);
  for (const char *name : {"shape", "fixed_shape"}) {
    Kernel k = kernel(newer, name);
    Mem result = zeroed(expected.size() * sizeof(unsigned));
    set(k, 0, result);
    ASSERT_EQ(run(k, 3, nullptr, global, local), CL_SUCCESS);
    EXPECT_EQ(read<unsigned>(result, expected.size()), expected) << name;
  }
}

TEST_F(EnqueueNDRangeKernel, TooMuchLocalMemory) {
  PROVES("API-5.10b");
  Kernel k = with("scratch", out);
  size_t most = query<cl_ulong>(clGetDeviceInfo, device, CL_DEVICE_LOCAL_MEM_SIZE), global = 4;
  cl_int code = clSetKernelArg(k, 1, most + 1, nullptr);
  if (code == CL_SUCCESS)
    EXPECT_EQ(run(k, 1, nullptr, &global, nullptr), CL_OUT_OF_RESOURCES);
  else
    EXPECT_EQ(code, CL_INVALID_ARG_SIZE);
  ASSERT_EQ(clSetKernelArg(k, 1, most, nullptr), CL_SUCCESS);
  EXPECT_EQ(run(k, 1, nullptr, &global, nullptr), CL_SUCCESS);
  EXPECT_EQ(read<unsigned>(out, 1)[0], 1u);
}

TEST_F(EnqueueNDRangeKernel, EventAndProfiling) {
  PROVES("API-5.11e API-5.14a");
  Kernel k = with("count", counter);
  Event event;
  ASSERT_EQ(launch(k, 64, nullptr, event.out()), CL_SUCCESS);
  ASSERT_EQ(clWaitForEvents(1, event.address()), CL_SUCCESS);
  EXPECT_EQ(commandType(event), cl_command_type(CL_COMMAND_NDRANGE_KERNEL));
  EXPECT_GE(query<cl_ulong>(clGetEventProfilingInfo, event.get(), CL_PROFILING_COMMAND_END),
            query<cl_ulong>(clGetEventProfilingInfo, event.get(), CL_PROFILING_COMMAND_START));
}

TEST_F(EnqueueNDRangeKernel, InFlightLaunchKeepsKernelAndProgram) {
  PROVES("API-5.9.1b R13");
  Event gate = userEvent();
  size_t global = 16;
  Kernel k = with("count", counter);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue, k, 1, nullptr, &global, nullptr, 1, gate.address(), nullptr), CL_SUCCESS);
  k.reset();
  program.reset();
  clSetUserEventStatus(gate, CL_COMPLETE);
  EXPECT_EQ(read<unsigned>(counter, 1)[0], 16u);
}

struct EnqueueTask : EnqueueNDRangeKernel {};
TEST_F(EnqueueTask, RunsOneWorkItem) {
  PROVES("API-ICDc");
  Kernel k = with("count", counter);
  Event event;
  ASSERT_EQ(clEnqueueTask(queue, k, 0, nullptr, event.out()), CL_SUCCESS);
  EXPECT_EQ(read<unsigned>(counter, 1)[0], 1u);
  EXPECT_EQ(commandType(event), cl_command_type(CL_COMMAND_TASK));
  EXPECT_EQ(clEnqueueTask(nullptr, k, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueTask(queue, nullptr, 0, nullptr, nullptr), CL_INVALID_KERNEL);
}

struct EnqueueNativeKernel : EnqueueTest {
  struct Arguments {
    int value;
    int *memory;
  };
  static void CL_CALLBACK store(void *data) {
    auto *arguments = static_cast<Arguments *>(data);
    if (arguments && arguments->memory)
      *arguments->memory = arguments->value;
  }
};

TEST_F(EnqueueNativeKernel, AsTheDeviceReports) {
  PROVES("API-5.10d API-4.2f");
  bool reported = query<cl_device_exec_capabilities>(clGetDeviceInfo, device, CL_DEVICE_EXECUTION_CAPABILITIES) &
                  CL_EXEC_NATIVE_KERNEL;
  Mem b = buffer(16);
  cl_mem objects[] = {b};
  Arguments arguments{77, nullptr};
  const void *places[] = {&arguments.memory};
  cl_int code =
      clEnqueueNativeKernel(queue, store, &arguments, sizeof arguments, 1, objects, places, 0, nullptr, nullptr);
  if (!reported) {
    EXPECT_EQ(code, CL_INVALID_OPERATION);
    return;
  }
  ASSERT_EQ(code, CL_SUCCESS);
  arguments.value = 78; // the block was copied
  EXPECT_EQ(read<int>(b, 1)[0], 77);
  EXPECT_EQ(
      clEnqueueNativeKernel(queue, nullptr, &arguments, sizeof arguments, 0, nullptr, nullptr, 0, nullptr, nullptr),
      CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueNativeKernel(queue, store, nullptr, 8, 0, nullptr, nullptr, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueNativeKernel(queue, store, &arguments, 0, 0, nullptr, nullptr, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueNativeKernel(queue, store, &arguments, sizeof arguments, 1, nullptr, places, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueNativeKernel(queue, store, &arguments, sizeof arguments, 0, objects, places, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  const void *outside[] = {&arguments + 1};
  EXPECT_EQ(clEnqueueNativeKernel(queue, store, &arguments, sizeof arguments, 1, objects, outside, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  cl_mem bad[] = {reinterpret_cast<cl_mem>(queue.get())};
  EXPECT_EQ(clEnqueueNativeKernel(queue, store, &arguments, sizeof arguments, 1, bad, places, 0, nullptr, nullptr),
            CL_INVALID_MEM_OBJECT);
}
} // namespace kiln::test
