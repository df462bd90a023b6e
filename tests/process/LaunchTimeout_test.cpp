// KILN_LAUNCH_TIMEOUT: a kernel that does not end is an error of its launch, in scalar and in vector code, on threads
// of the application and of Kiln.
#include "tests/process/FaultTest.h"
#include <atomic>
#include <chrono>
#include <thread>

namespace kiln::test {
namespace {

// Work-items of the group `endless` do not end.
constexpr const char *Endless = "kernel void k(global volatile int *out, int endless) {\n"
                                "  if (get_group_id(0) >= endless)\n    while (!out[get_global_id(0)]) ;\n"
                                "  out[get_global_id(0)] = 1;\n}\n";
// An endless loop without an access to memory.
constexpr const char *Empty = "kernel void k(global volatile int *out, int endless) {\n"
                              "  uint x = get_global_id(0) + 1;\n"
                              "  if (get_group_id(0) >= endless)\n    while (x) x = x * 1664525u + 2u * x + 1u | 1u;\n"
                              "  out[get_global_id(0)] = x;\n}\n";

struct Launch {
  Launch(App &app, const char *source, int endless) : program(app.source(source)) {
    EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
    kernel = clCreateKernel(program, "k", nullptr);
    out = clCreateBuffer(app.context, CL_MEM_READ_WRITE, 4 << 20, nullptr, nullptr);
    clSetKernelArg(kernel, 0, sizeof(cl_mem), out.address());
    clSetKernelArg(kernel, 1, sizeof endless, &endless);
  }
  cl_int enqueue(cl_command_queue queue, size_t items, Event *event = nullptr) {
    const size_t local = 64;
    cl_event made = nullptr;
    const cl_int code =
        clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, &local, 0, nullptr, event ? &made : nullptr);
    if (event)
      *event = made;
    return code;
  }
  Program program;
  Kernel kernel;
  Mem out;
};
cl_int statusOfEvent(const Event &event) {
  cl_int status = 1;
  clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  return status;
}

struct LaunchTimeout : FaultTest {
  static double seconds(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
};

TEST_F(LaunchTimeout, EndsTheLaunch) {
  for (const char *width : {"1", "0"})
    for (const char *source : {Endless, Empty})
      for (const size_t items : {64u, 1u << 16}) { // on one thread, and on several
        expectExit(0, statusOf(
                          [&] {
                            App app;
                            Launch launch(app, source, items > 64 ? 900 : 0);
                            Event event;
                            const auto begin = std::chrono::steady_clock::now();
                            ASSERT_EQ(launch.enqueue(app.queue, items, &event), CL_SUCCESS);
                            clFinish(app.queue);
                            EXPECT_EQ(statusOfEvent(event), CL_OUT_OF_RESOURCES);
                            EXPECT_GT(seconds(begin), 0.9);
                            EXPECT_LT(seconds(begin), 20);
                            EXPECT_TRUE(app.works(3));
                          },
                          {{"KILN_LAUNCH_TIMEOUT", "1"}, {"KILN_CPU_MACHINE_WIDTH", width}}));
        EXPECT_TRUE(says("kernel k takes longer than 1 s (KILN_LAUNCH_TIMEOUT)")) << errors;
      }
}

// Other queues go on meanwhile, and a launch that ends in time is not disturbed.
TEST_F(LaunchTimeout, OtherCommandsGoOn) {
  expectExit(0, statusOf(
                    [] {
                      App app;
                      Launch endless(app, Endless, 0), good(app, Endless, 1 << 20);
                      Queue other = clCreateCommandQueueWithProperties(app.context, app.device, nullptr, nullptr);
                      Event event;
                      ASSERT_EQ(endless.enqueue(other, 64, &event), CL_SUCCESS);
                      clFlush(other);
                      int launches = 0;
                      for (; statusOfEvent(event) > CL_COMPLETE; ++launches) {
                        Event done;
                        ASSERT_EQ(good.enqueue(app.queue, 1 << 16, &done), CL_SUCCESS);
                        clFinish(app.queue);
                        ASSERT_EQ(statusOfEvent(done), CL_COMPLETE);
                      }
                      EXPECT_GT(launches, 0);
                      EXPECT_EQ(statusOfEvent(event), CL_OUT_OF_RESOURCES);
                      clFinish(other);
                    },
                    {{"KILN_LAUNCH_TIMEOUT", "1"}}));
}

// Launches that end in turn, on queues of many threads.
void endOnManyThreads(int count, int launches) {
  App app;
  std::atomic<int> ended{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&] {
      Launch endless(app, Endless, 0);
      Queue queue = clCreateCommandQueueWithProperties(app.context, app.device, nullptr, nullptr);
      for (int j = 0; j < launches; ++j) {
        Event event;
        EXPECT_EQ(endless.enqueue(queue, 64, &event), CL_SUCCESS);
        clFinish(queue);
        ended += statusOfEvent(event) == CL_OUT_OF_RESOURCES;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(ended, count * launches);
  EXPECT_TRUE(app.works(3));
}
TEST_F(LaunchTimeout, OfManyThreads) {
  expectExit(0, statusOf([] { endOnManyThreads(16, 2); }, {{"KILN_LAUNCH_TIMEOUT", "1"}}));
}
TEST_F(LaunchTimeout, SlowFiveHundred) {
  expectExit(0, statusOf([] { endOnManyThreads(63, 8); }, {{"KILN_LAUNCH_TIMEOUT", "1"}}));
}

// An application's handlers of the four signals stay in use, and its own signals reach them.
TEST_F(LaunchTimeout, WithHandlersOfTheApplication) {
  expectExit(0, statusOf(
                    [] {
                      static std::atomic<int> caught{0};
                      App app;
                      EXPECT_TRUE(app.works(1)); // Kiln's handlers are there
                      for (const int signal : {SIGILL, SIGFPE})
                        ::signal(signal, [](int) { ++caught; });
                      Launch launch(app, Endless, 0);
                      Event event;
                      ASSERT_EQ(launch.enqueue(app.queue, 64, &event), CL_SUCCESS);
                      clFinish(app.queue);
                      EXPECT_EQ(statusOfEvent(event), CL_OUT_OF_RESOURCES);
                      EXPECT_EQ(caught, 0);
                      raise(SIGILL);
                      EXPECT_EQ(caught, 1);
                    },
                    {{"KILN_LAUNCH_TIMEOUT", "1"}}));
}

// A GPU whose launch takes too long is lost, and the context's other devices go on. Launches that end in time, one
// after the other in one queue, are no such launch.
TEST_F(LaunchTimeout, OnAGpu) {
  expectExit(0, statusOf(
                    [] {
                      App gpu(CL_DEVICE_TYPE_GPU);
                      const cl_device_id devices[] = {gpu.device, App().device};
                      cl_int code = 1;
                      gpu.context = clCreateContext(nullptr, 2, devices, nullptr, nullptr, &code);
                      ASSERT_EQ(code, CL_SUCCESS);
                      gpu.queue = clCreateCommandQueueWithProperties(gpu.context, devices[0], nullptr, nullptr);
                      Queue cpu = clCreateCommandQueueWithProperties(gpu.context, devices[1], nullptr, nullptr);
                      Launch endless(gpu, Endless, 0), good(gpu, Endless, 1 << 20);
                      const auto begin = std::chrono::steady_clock::now();
                      do {
                        Event event;
                        for (int i = 0; i < 20; ++i)
                          ASSERT_EQ(good.enqueue(gpu.queue, 1024, &event), CL_SUCCESS);
                        clFinish(gpu.queue);
                        ASSERT_EQ(statusOfEvent(event), CL_COMPLETE);
                      } while (seconds(begin) < 3);
                      Event event;
                      ASSERT_EQ(endless.enqueue(gpu.queue, 64, &event), CL_SUCCESS);
                      std::vector<int> values(16);
                      EXPECT_LT(clEnqueueReadBuffer(gpu.queue, endless.out, CL_TRUE, 0, 64, values.data(), 0, nullptr,
                                                    nullptr),
                                0);
                      clFinish(gpu.queue);
                      EXPECT_EQ(statusOfEvent(event), CL_OUT_OF_RESOURCES);
                      cl_bool available = CL_TRUE;
                      clGetDeviceInfo(devices[0], CL_DEVICE_AVAILABLE, sizeof available, &available, nullptr);
                      EXPECT_FALSE(available);
                      good.out = clCreateBuffer(gpu.context, CL_MEM_READ_WRITE, 4096, nullptr, nullptr);
                      clSetKernelArg(good.kernel, 0, sizeof(cl_mem), good.out.address());
                      ASSERT_EQ(good.enqueue(cpu, 64, &event), CL_SUCCESS);
                      clFinish(cpu);
                      EXPECT_EQ(statusOfEvent(event), CL_COMPLETE);
                    },
                    {{"KILN_LAUNCH_TIMEOUT", "2"},
                     {"KILN_DEVICES", "cpu,hip"},
                     {"KILN_HIP_LIBRARY", KILN_EMULATOR},
                     {"KILN_EMULATED_GPU", "gfx942"}}));
  EXPECT_TRUE(says("kernel k takes longer than 2 s (KILN_LAUNCH_TIMEOUT): device ")) << errors;
  EXPECT_TRUE(says("kernel k failed with -5: device ")) << errors;
}

// A launch that waits for others does not take longer: it has not started.
TEST_F(LaunchTimeout, OfALaunchThatWaitsOnAGpu) {
  expectExit(0, statusOf(
                    [] {
                      App app(CL_DEVICE_TYPE_GPU);
                      Queue other = clCreateCommandQueueWithProperties(app.context, app.device, nullptr, nullptr);
                      Program program = app.source("kernel void k(global int *out, int rounds) {\n"
                                                   "  int x = get_global_id(0);\n"
                                                   "  for (int i = 0; i < rounds; ++i) x = x * 5 ^ i;\n"
                                                   "  out[get_global_id(0)] = x;\n}\n");
                      ASSERT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
                      Kernel kernel = clCreateKernel(program, "k", nullptr);
                      Mem out = clCreateBuffer(app.context, CL_MEM_READ_WRITE, 256, nullptr, nullptr);
                      clSetKernelArg(kernel, 0, sizeof(cl_mem), out.address());
                      const size_t items = 64;
                      const auto enqueue = [&](cl_command_queue queue, int rounds, const Event *before, Event &event) {
                        clSetKernelArg(kernel, 1, sizeof rounds, &rounds);
                        return clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, before ? 1 : 0,
                                                      before ? before->address() : nullptr, event.out());
                      };
                      int rounds = 1024;
                      auto begin = std::chrono::steady_clock::now();
                      do { // until a launch takes a tenth of the limit
                        rounds *= 2;
                        begin = std::chrono::steady_clock::now();
                        Event event;
                        ASSERT_EQ(enqueue(app.queue, rounds, nullptr, event), CL_SUCCESS);
                        clWaitForEvents(1, event.address());
                      } while (seconds(begin) < 0.2);
                      // More of them until all together take longer than the limit.
                      for (int count = 12; seconds(begin) < 2; count *= 2) {
                        begin = std::chrono::steady_clock::now();
                        Event last, waiting;
                        for (int i = 0; i < count; ++i)
                          ASSERT_EQ(enqueue(app.queue, rounds, nullptr, last), CL_SUCCESS);
                        ASSERT_EQ(enqueue(other, rounds, &last, waiting), CL_SUCCESS);
                        clFinish(other);
                        ASSERT_EQ(statusOfEvent(last), CL_COMPLETE);
                        ASSERT_EQ(statusOfEvent(waiting), CL_COMPLETE);
                      }
                    },
                    {{"KILN_LAUNCH_TIMEOUT", "2"},
                     {"KILN_DEVICES", "hip"},
                     {"KILN_HIP_LIBRARY", KILN_EMULATOR},
                     {"KILN_EMULATED_GPU", "gfx942"}}));
}

// Ctrl-C ends a process whose kernel does not end: Kiln takes no SIGINT.
TEST_F(LaunchTimeout, InterruptFromTheKeyboard) {
  expectSignal(SIGINT, statusOf([] {
                 App app;
                 Launch launch(app, Endless, 0);
                 std::thread([] {
                   usleep(300'000);
                   kill(getpid(), SIGINT);
                 }).detach();
                 launch.enqueue(app.queue, 64);
                 clFinish(app.queue);
               }));
}

} // namespace
} // namespace kiln::test
