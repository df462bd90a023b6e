// Memory limits of buffers (backends/cpu/driver/MemoryBudget): the reported size can be allocated, and a larger one is
// an error of the call. Each test runs in a process with a separate limit, so it does not need the machine's whole
// memory.
#include "tests/process/ProcessTest.h"
#include <fstream>

namespace kiln::test {
namespace {

struct Allocations : ProcessTest {
  static constexpr size_t MiB = 1 << 20;
  /// A line of /proc/meminfo, in bytes.
  static size_t memory(const std::string &name) {
    for (const std::string &line : linesOf("/proc/meminfo"))
      if (line.starts_with(name + ":"))
        return std::stoul(line.substr(name.size() + 1)) << 10;
    return 0;
  }
};

/// The application on the platform's last device, which has separate memory.
struct OnLastDevice : App {
  OnLastDevice() {
    cl_uint count = 0;
    cl_device_id all[8];
    EXPECT_EQ(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_CPU, 8, all, &count), CL_SUCCESS);
    device = all[count - 1];
    cl_int code = 1;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    queue = clCreateCommandQueueWithProperties(context, device, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
  }
};

cl_int create(const App &app, size_t size, Mem &made, cl_mem_flags flags = 0) {
  cl_int code = 1;
  made = clCreateBuffer(app.context, flags, size, nullptr, &code);
  EXPECT_EQ(made.get() != nullptr, code == CL_SUCCESS);
  return code;
}

/// Writes every byte of the buffer, and reads some.
void use(const App &app, cl_mem buffer, size_t size, cl_uint value) {
  ASSERT_EQ(clEnqueueFillBuffer(app.queue, buffer, &value, sizeof value, 0, size, 0, nullptr, nullptr), CL_SUCCESS);
  for (size_t at : {size_t(0), size / 2, size - 64}) {
    cl_uint found[16] = {};
    ASSERT_EQ(clEnqueueReadBuffer(app.queue, buffer, CL_TRUE, at, sizeof found, found, 0, nullptr, nullptr),
              CL_SUCCESS);
    for (cl_uint word : found)
      EXPECT_EQ(word, value) << at;
  }
}

void expectAllOfIt(const App &app) {
  size_t all = query<cl_ulong>(clGetDeviceInfo, app.device, CL_DEVICE_GLOBAL_MEM_SIZE);
  size_t largest = query<cl_ulong>(clGetDeviceInfo, app.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  std::vector<Mem> buffers;
  size_t taken = 0;
  for (; taken < all; taken += std::min(largest, all - taken)) {
    ASSERT_EQ(create(app, std::min(largest, all - taken), buffers.emplace_back()), CL_SUCCESS) << taken;
    use(app, buffers.back(), std::min(largest, all - taken), cl_uint(taken + 1));
  }
  Mem more;
  EXPECT_EQ(create(app, 1, more), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  buffers.pop_back();
  EXPECT_EQ(create(app, largest, more), CL_SUCCESS) << "released memory can be allocated again";
}

TEST_F(Allocations, ReportedSize) {
  PROVES("API-5.2.1b API-4.2i");
  inNewProcess(
      [] {
        App app;
        EXPECT_EQ(query<cl_ulong>(clGetDeviceInfo, app.device, CL_DEVICE_GLOBAL_MEM_SIZE), 256 * MiB);
        EXPECT_EQ(query<cl_ulong>(clGetDeviceInfo, app.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE), 128 * MiB);
        expectAllOfIt(app);
      },
      {{"KILN_CPU_MEMORY", "256M"}});
}

// With the machine's real limit, if the memory is free.
TEST_F(Allocations, SlowAllThatTheDeviceReportsUnlimited) {
  if (memory("MemAvailable") < memory("MemTotal") / 8 * 7)
    GTEST_SKIP() << memory("MemAvailable") << " bytes are free, of " << memory("MemTotal");
  inNewProcess([] { expectAllOfIt(App()); });
}

// A limit above the machine's memory has no effect: memory is not granted twice, touched or not.
TEST_F(Allocations, MoreThanTheMachineHas) {
  inNewProcess(
      [] {
        App app;
        size_t total = memory("MemTotal") + memory("SwapTotal"), taken = 0;
        ASSERT_GT(total, 0u);
        std::vector<Mem> buffers;
        cl_int code;
        while ((code = create(app, 512 * MiB, buffers.emplace_back())) == CL_SUCCESS && taken <= total)
          taken += 512 * MiB;
        EXPECT_EQ(code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
        EXPECT_LE(taken, total);
      },
      {{"KILN_CPU_MEMORY", "100000G"}});
}

// A buffer on a device with separate memory gets storage when a command first needs it. Without memory the command's
// enqueue fails and changes nothing.
TEST_F(Allocations, StorageMissingAtTheEnqueue) {
  PROVES("R9 R2 API-5.2.4b");
  inNewProcess(
      [] {
        OnLastDevice app;
        std::vector<Mem> buffers(3);
        for (Mem &buffer : buffers)
          ASSERT_EQ(create(app, 64 * MiB, buffer), CL_SUCCESS);
        use(app, buffers[0], 64 * MiB, 1);
        use(app, buffers[1], 64 * MiB, 2);

        cl_mem third = buffers[2];
        cl_event event = nullptr;
        cl_uint zero = 0;
        std::vector<cl_uint> data(16);
        EXPECT_EQ(clEnqueueFillBuffer(app.queue, third, &zero, 4, 0, 64, 0, nullptr, &event),
                  CL_MEM_OBJECT_ALLOCATION_FAILURE);
        EXPECT_EQ(clEnqueueWriteBuffer(app.queue, third, CL_TRUE, 0, 64, data.data(), 0, nullptr, &event),
                  CL_MEM_OBJECT_ALLOCATION_FAILURE);
        EXPECT_EQ(clEnqueueCopyBuffer(app.queue, buffers[0], third, 0, 0, 64, 0, nullptr, &event),
                  CL_MEM_OBJECT_ALLOCATION_FAILURE);
        cl_int code = 1;
        EXPECT_EQ(clEnqueueMapBuffer(app.queue, third, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, nullptr, &event, &code),
                  nullptr);
        EXPECT_EQ(code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
        Program program = app.source(sourceOf(0));
        ASSERT_EQ(app.build(program), CL_SUCCESS);
        Kernel kernel = clCreateKernel(program, "k", &code);
        ASSERT_EQ(code, CL_SUCCESS);
        EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof third, &third), CL_SUCCESS);
        size_t items = 16;
        EXPECT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, &event),
                  CL_MEM_OBJECT_ALLOCATION_FAILURE);
        EXPECT_EQ(event, nullptr);
        EXPECT_EQ(query<cl_uint>(clGetMemObjectInfo, third, CL_MEM_MAP_COUNT), 0u);
        EXPECT_EQ(query<cl_uint>(clGetMemObjectInfo, third, CL_MEM_REFERENCE_COUNT), 1u);

        buffers[0].reset();
        EXPECT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
                  CL_SUCCESS);
        EXPECT_EQ(clEnqueueReadBuffer(app.queue, third, CL_TRUE, 0, 64, data.data(), 0, nullptr, nullptr), CL_SUCCESS);
        EXPECT_EQ(data[5], 15u);
        EXPECT_EQ(clFinish(app.queue), CL_SUCCESS);
      },
      {{"KILN_CPU_MEMORY", "160M"}, {"KILN_CPU_DEVICES", "2"}});
}

} // namespace
} // namespace kiln::test
