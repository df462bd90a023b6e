// Launches that end by a time-out and contexts that are terminated, while other commands run and the sampler counts:
// each command ends with the status that it must have, and the results of the others are right. tests/sanitized builds
// this with ThreadSanitizer and AddressSanitizer as well.
#include "tests/process/ProcessTest.h"
#include <atomic>
#include <thread>

namespace kiln::test {
namespace {

constexpr const char *Source = "kernel void endless(global volatile int *out) { while (!out[0]) ; }\n"
                               "kernel void busy(global int *out, int rounds) {\n"
                               "  int sum = get_global_id(0);\n"
                               "  for (int i = 0; i < rounds; ++i) sum = sum * 5 + i;\n"
                               "  out[get_global_id(0)] = sum;\n}\n";
#if defined(__has_feature)
constexpr bool DelaysSignals = __has_feature(thread_sanitizer); // to after the kernel, so that samples are lost
#else
constexpr bool DelaysSignals = false;
#endif
constexpr size_t Items = 1 << 14;
constexpr int Rounds = 2000;

struct Tally {
  std::atomic<int> timedOut = 0, terminated = 0, checked = 0;
};

/// A context with a queue, the program's kernel of this name, and a buffer that is its first argument.
struct Work {
  Work(cl_device_id device, const char *name, bool isTerminable) {
    const cl_context_properties properties[] = {CL_CONTEXT_TERMINATE_KHR, isTerminable, 0};
    cl_int code = 1;
    context = clCreateContext(properties, 1, &device, nullptr, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    queue = clCreateCommandQueueWithProperties(context, device, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    const char *text = Source;
    program = clCreateProgramWithSource(context, 1, &text, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
    kernel = clCreateKernel(program, name, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    const std::vector<int> zeros(Items);
    buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, Items * sizeof(int), const_cast<int *>(zeros.data()), &code);
    EXPECT_EQ(code, CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.address()), CL_SUCCESS);
  }
  Event launch(size_t items) {
    Event event;
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, event.out()), CL_SUCCESS);
    return event;
  }
  Context context;
  Queue queue;
  Program program;
  Kernel kernel;
  Mem buffer;
};

cl_int statusAfterWait(const Event &event) {
  clWaitForEvents(1, event.address());
  return query<cl_int>(clGetEventInfo, event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS);
}

void timeOut(cl_device_id device, int count, Tally &tally) {
  Work work(device, "endless", false);
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(statusAfterWait(work.launch(1)), CL_OUT_OF_RESOURCES);
    ++tally.timedOut;
  }
}

/// Launches that reach their time-out first are repeated: a loaded machine may take long to come to the termination.
void terminate(cl_device_id device, int count, Tally &tally) {
  const auto end = reinterpret_cast<clTerminateContextKHR_fn>(
      clGetExtensionFunctionAddressForPlatform(platform(), "clTerminateContextKHR"));
  ASSERT_NE(end, nullptr);
  for (int done = 0; done < count;) {
    Work work(device, "endless", true);
    const Event event = work.launch(1);
    clFlush(work.queue);
    if (done % 2) // the others may end before they begin
      while (query<cl_int>(clGetEventInfo, event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS) > CL_RUNNING)
        std::this_thread::yield();
    EXPECT_EQ(end(work.context), CL_SUCCESS);
    const cl_int status = statusAfterWait(event);
    if (status == CL_OUT_OF_RESOURCES)
      continue;
    EXPECT_EQ(status, CL_CONTEXT_TERMINATED_KHR);
    ++done, ++tally.terminated;
  }
}

/// Runs kernels that end, and compares their results, until all others are done.
void load(cl_device_id device, const std::atomic<bool> &isDone, Tally &tally) {
  std::vector<int> expected(Items), found(Items);
  for (size_t i = 0; i < Items; ++i) {
    auto sum = unsigned(i);
    for (unsigned round = 0; round < Rounds; ++round)
      sum = sum * 5 + round;
    expected[i] = int(sum);
  }
  Work work(device, "busy", false);
  EXPECT_EQ(clSetKernelArg(work.kernel, 1, sizeof Rounds, &Rounds), CL_SUCCESS);
  do {
    const Event event = work.launch(Items);
    EXPECT_EQ(clEnqueueReadBuffer(work.queue, work.buffer, CL_TRUE, 0, Items * sizeof(int), found.data(), 0, nullptr,
                                  nullptr),
              CL_SUCCESS);
    EXPECT_EQ(statusAfterWait(event), CL_COMPLETE);
    EXPECT_EQ(found, expected);
    ++tally.checked;
  } while (!isDone);
}

struct EndsUnderLoad : ProcessTest {
  /// Each of `threads` threads ends `times` launches by a time-out, and each of 4 terminates contexts, as many in all.
  void run(int threads, int times) {
    inNewProcessWithErrors(
        [&] {
          cl_device_id device = nullptr;
          ASSERT_EQ(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_CPU, 1, &device, nullptr), CL_SUCCESS);
          constexpr int Terminating = 4;
          Tally tally;
          std::atomic<bool> isDone = false;
          std::vector<std::thread> loads, ending;
          for (int i = 0; i < 2; ++i)
            loads.emplace_back([&] { load(device, isDone, tally); });
          for (int i = 0; i < threads; ++i)
            ending.emplace_back([&] { timeOut(device, times, tally); });
          for (int i = 0; i < Terminating; ++i)
            ending.emplace_back([&] { terminate(device, threads * times / Terminating, tally); });
          for (std::thread &thread : ending)
            thread.join();
          isDone = true;
          for (std::thread &thread : loads)
            thread.join();
          EXPECT_EQ(tally.timedOut, threads * times);
          EXPECT_EQ(tally.terminated, threads * times);
          EXPECT_GT(tally.checked, 0);
        },
        {{"KILN_LAUNCH_TIMEOUT", "1"}, {"KILN_HOT_LINES", folder + "/lines"}});
    EXPECT_EQ(errors.find("Sanitizer"), std::string::npos) << errors;
    const std::string lines = contentOf(folder + "/lines");
    EXPECT_FALSE(lines.empty());
    if (DelaysSignals)
      return;
    EXPECT_NE(lines.find("kernel busy: "), std::string::npos) << lines;
    EXPECT_NE(lines.find("kernel endless: "), std::string::npos) << lines;
  }
};

TEST_F(EndsUnderLoad, EightOfEach) {
  PROVES("X-E35");
  run(4, 2);
}
TEST_F(EndsUnderLoad, SlowFiveHundredOfEach) { run(20, 25); }

} // namespace
} // namespace kiln::test
