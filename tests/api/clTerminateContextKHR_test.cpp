// cl_khr_terminate_context: a context ends its commands, endless kernels and commands that wait for ever included.
#include "tests/api/ProgramTest.h"
#include <chrono>
#include <thread>

namespace kiln::test {
namespace {

constexpr const char *Endless = "kernel void endless(global volatile int *out, int stop) {\n"
                                "  out[0] = 1;\n  while (out[0] != stop) ;\n  out[1] = 1;\n}\n"
                                "kernel void fill(global int *out) { out[get_global_id(0)] = 7; }\n";
// Each launch enqueues the next one.
constexpr const char *EndlessChain = "kernel void chain(global int *out) {\n"
                                     "  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL,\n"
                                     "                 ndrange_1D(1), ^{ ++out[0]; chain(out); });\n}\n";

/// What the context's callback was called with.
struct Reports {
  std::atomic<int> count{0};
  std::string last;
};
void CL_CALLBACK report(const char *message, const void *, size_t, void *reports) {
  static_cast<Reports *>(reports)->last = message;
  ++static_cast<Reports *>(reports)->count;
}

struct TerminateContext : WithProgram {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithProgram::SetUp());
    terminate = reinterpret_cast<clTerminateContextKHR_fn>(
        clGetExtensionFunctionAddressForPlatform(platform, "clTerminateContextKHR"));
    ASSERT_NE(terminate, nullptr);
    const std::string extensions = queryText(clGetDeviceInfo, device, CL_DEVICE_EXTENSIONS);
    if (extensions.find("cl_khr_terminate_context") == std::string::npos) {
      expectUnsupported();
      GTEST_SKIP() << "the device cannot end kernels that run";
    }
    context = make(CL_TRUE);
    queue = makeQueue(CL_QUEUE_PROFILING_ENABLE, context);
  }
  Context make(cl_context_properties terminable, cl_int expected = CL_SUCCESS) {
    const cl_context_properties list[] = {CL_CONTEXT_TERMINATE_KHR, terminable, 0};
    cl_int code = 1;
    Context made = clCreateContext(list, 1, &device, report, &reports, &code);
    EXPECT_EQ(code, expected);
    return made;
  }
  void expectUnsupported() {
    cl_bitfield capability = 0;
    EXPECT_EQ(clGetDeviceInfo(device, CL_DEVICE_TERMINATE_CAPABILITY_KHR, sizeof capability, &capability, nullptr),
              CL_INVALID_VALUE);
    make(CL_TRUE, CL_INVALID_PROPERTY);
    EXPECT_EQ(terminate(context), CL_INVALID_OPERATION);
  }
  /// Enqueues a kernel that does not end, on 8 bytes, and returns once it runs.
  Event runEndless(cl_command_queue on, cl_program program, const Mem &memory) {
    Kernel endless = kernel(program, "endless");
    const int stop = 2, zero = 0;
    EXPECT_EQ(clEnqueueWriteBuffer(on, memory, CL_TRUE, 0, 4, &zero, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(set(endless, 0, memory), CL_SUCCESS);
    EXPECT_EQ(set(endless, 1, stop), CL_SUCCESS);
    const size_t one = 1;
    Event event;
    EXPECT_EQ(clEnqueueNDRangeKernel(on, endless, 1, nullptr, &one, nullptr, 0, nullptr, event.out()), CL_SUCCESS);
    clFlush(on);
    while (status(event) > CL_RUNNING)
      std::this_thread::yield();
    return event;
  }
  cl_int status(const Event &event) {
    return query<cl_int>(clGetEventInfo, event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS);
  }
  void expectTerminated(const Event &event, const char *what) {
    EXPECT_EQ(clWaitForEvents(1, event.address()), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) << what;
    EXPECT_EQ(status(event), CL_CONTEXT_TERMINATED_KHR) << what;
  }
  clTerminateContextKHR_fn terminate = nullptr;
  Reports reports;
};

TEST_F(TerminateContext, Capability) {
  PROVES("X-E35");
  EXPECT_EQ(query<cl_bitfield>(clGetDeviceInfo, device, CL_DEVICE_TERMINATE_CAPABILITY_KHR), 1u);
  EXPECT_EQ(query<cl_bitfield>(clGetDeviceInfo, device, 0x200F), 1u) << "the number in headers of OpenCL 1.2";
}

TEST_F(TerminateContext, Invalid) {
  PROVES("X-E35 R1");
  EXPECT_EQ(terminate(nullptr), CL_INVALID_CONTEXT);
  EXPECT_EQ(terminate(otherContext), CL_INVALID_OPERATION);
  EXPECT_EQ(terminate(make(CL_FALSE)), CL_INVALID_OPERATION);
  make(3, CL_INVALID_PROPERTY);
  EXPECT_EQ(terminate(context), CL_SUCCESS);
  EXPECT_EQ(terminate(context), CL_CONTEXT_TERMINATED_KHR);
}

TEST_F(TerminateContext, EndsAllCommands) {
  PROVES("X-E35");
  Program program = built(Endless);
  Kernel fill = kernel(program, "fill");
  Queue unordered = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, context);
  Mem first = buffer(8), second = buffer(8), plain = buffer(1024);
  Event running[] = {runEndless(queue, program, first), runEndless(unordered, program, second)};
  ASSERT_EQ(set(fill, 0, plain), CL_SUCCESS);
  Event behind, waiting, marker, user = userEvent(context);
  ASSERT_EQ(launch(fill, 256, nullptr, behind.out()), CL_SUCCESS);
  const size_t items = 256;
  ASSERT_EQ(clEnqueueNDRangeKernel(unordered, fill, 1, nullptr, &items, nullptr, 1, user.address(), waiting.out()),
            CL_SUCCESS);
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue, 1, waiting.address(), marker.out()), CL_SUCCESS);
  std::atomic<int> eventStatus{1};
  ASSERT_EQ(clSetEventCallback(
                waiting, CL_COMPLETE,
                [](cl_event, cl_int code, void *to) { *static_cast<std::atomic<int> *>(to) = code; }, &eventStatus),
            CL_SUCCESS);

  ASSERT_EQ(terminate(context), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(clFinish(unordered), CL_SUCCESS);
  expectTerminated(running[0], "in an in-order queue");
  expectTerminated(running[1], "in an out-of-order queue");
  expectTerminated(behind, "behind an endless kernel");
  expectTerminated(waiting, "waiting for a user event");
  expectTerminated(marker, "waiting for such a command");
  while (eventStatus == 1)
    std::this_thread::yield();
  EXPECT_LT(eventStatus, 0);
  EXPECT_EQ(reports.count, 1);
  EXPECT_NE(reports.last.find("terminated"), std::string::npos) << reports.last;
  cl_ulong time = 0;
  EXPECT_EQ(clGetEventProfilingInfo(running[0], CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr),
            CL_PROFILING_INFO_NOT_AVAILABLE);
  EXPECT_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS) << "the status of user events can be set";
  EXPECT_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION) << "once";
}

// A thread that waits for an endless kernel returns.
TEST_F(TerminateContext, WakesThreadsThatWait) {
  PROVES("X-E35");
  Program program = built(Endless);
  Mem memory = buffer(8);
  Event event = runEndless(queue, program, memory);
  std::atomic<int> returned{0};
  std::thread finishes([&] { clFinish(queue), ++returned; });
  std::thread reads([&] {
    int value = 0;
    EXPECT_EQ(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr),
              CL_CONTEXT_TERMINATED_KHR);
    ++returned;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(returned, 0);
  EXPECT_EQ(terminate(context), CL_SUCCESS);
  finishes.join();
  reads.join();
}

TEST_F(TerminateContext, EndsKernelsThatEnqueueThemselves) {
  PROVES("X-E35");
  if (!(query<cl_device_device_enqueue_capabilities>(clGetDeviceInfo, device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) &
        CL_DEVICE_QUEUE_SUPPORTED))
    GTEST_SKIP() << "the device has no device-side enqueue";
  const cl_queue_properties list[] = {
      CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
  cl_int code = 1;
  Queue onDevice = clCreateCommandQueueWithProperties(context, device, list, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  Program program = built(EndlessChain, "-cl-std=CL2.0");
  Kernel chain = kernel(program, "chain");
  Mem counter = buffer(4);
  ASSERT_EQ(set(chain, 0, counter), CL_SUCCESS);
  Event event;
  ASSERT_EQ(launch(chain, 1, nullptr, event.out()), CL_SUCCESS);
  clFlush(queue);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GE(status(event), CL_RUNNING);
  ASSERT_EQ(terminate(context), CL_SUCCESS);
  expectTerminated(event, "the parent");
}

TEST_F(TerminateContext, CallsAfterwards) {
  PROVES("X-E35");
  Program program = built(Endless);
  Kernel fill = kernel(program, "fill");
  Mem memory = buffer(1024);
  ASSERT_EQ(set(fill, 0, memory), CL_SUCCESS);
  ASSERT_EQ(terminate(context), CL_SUCCESS);
  cl_int code = 0;
  auto expectRefused = [&](const void *made, const char *what) {
    EXPECT_EQ(made, nullptr) << what;
    EXPECT_EQ(code, CL_CONTEXT_TERMINATED_KHR) << what;
  };
  const cl_buffer_region region{0, 64};
  const char *text = Endless;
  expectRefused(clCreateBuffer(context, 0, 4, nullptr, &code), "a buffer");
  expectRefused(clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code), "a sub-buffer");
  expectRefused(clCreateProgramWithSource(context, 1, &text, nullptr, &code), "a program");
  expectRefused(clCreateKernel(program, "fill", &code), "a kernel");
  expectRefused(clCreateCommandQueueWithProperties(context, device, nullptr, &code), "a queue");
  expectRefused(clCreateUserEvent(context, &code), "a user event");
  expectRefused(clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0), "shared memory");
  int value = 0;
  EXPECT_EQ(launch(fill, 256), CL_CONTEXT_TERMINATED_KHR);
  EXPECT_EQ(clEnqueueReadBuffer(queue, memory, CL_FALSE, 0, 4, &value, 0, nullptr, nullptr), CL_CONTEXT_TERMINATED_KHR);
  EXPECT_EQ(clEnqueueMarkerWithWaitList(queue, 0, nullptr, nullptr), CL_CONTEXT_TERMINATED_KHR);

  EXPECT_EQ(query<cl_uint>(clGetContextInfo, context.get(), CL_CONTEXT_NUM_DEVICES), 1u) << "queries go on";
  EXPECT_EQ(query<size_t>(clGetMemObjectInfo, memory.get(), CL_MEM_SIZE), 1024u);
  EXPECT_EQ(clRetainContext(context), CL_SUCCESS);
  EXPECT_EQ(clReleaseContext(context), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
}

// Threads terminate their contexts while those of others run.
TEST_F(TerminateContext, OnManyThreads) {
  PROVES("X-E35");
  std::atomic<int> terminated{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        Context own = make(CL_TRUE);
        Queue ownQueue = makeQueue(0, own);
        Program program = source(Endless, own);
        ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
        Mem memory = buffer(8, CL_MEM_READ_WRITE, nullptr, own);
        Event event = runEndless(ownQueue, program, memory);
        EXPECT_EQ(terminate(own), CL_SUCCESS);
        expectTerminated(event, "on one of several threads");
        ++terminated;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(terminated, 20);
}

} // namespace
} // namespace kiln::test
