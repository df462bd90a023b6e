// Repeated builds and launches on many threads: every result is correct, every event completes, nothing leaks.
#include "tests/process/ProcessTest.h"
#include <thread>

namespace kiln::test {
namespace {

struct Tally {
  std::atomic<int> right = 0, events = 0, callbacks = 0;
};

void CL_CALLBACK completed(cl_event, cl_int status, void *tally) {
  static_cast<Tally *>(tally)->callbacks += status == CL_COMPLETE;
}

/// One build and one launch; all objects are created and released.
void once(const App &app, int number, Tally &tally) {
  cl_int code = 1;
  Queue queue = clCreateCommandQueueWithProperties(app.context, app.device, nullptr, &code);
  Program program = app.source(sourceOf(number));
  if (app.build(program) != CL_SUCCESS) {
    ADD_FAILURE() << app.log(program);
    return;
  }
  Kernel kernel = clCreateKernel(program, "k", &code);
  size_t items = 1000;
  std::vector<int> data(items);
  Mem buffer = clCreateBuffer(app.context, CL_MEM_READ_WRITE, items * sizeof(int), nullptr, &code);
  clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.address());
  Event launched, read;
  EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, launched.out()), CL_SUCCESS);
  EXPECT_EQ(clSetEventCallback(launched, CL_COMPLETE, completed, &tally), CL_SUCCESS);
  EXPECT_EQ(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, items * sizeof(int), data.data(), 1, launched.address(),
                                read.out()),
            CL_SUCCESS);
  EXPECT_EQ(clSetEventCallback(read, CL_COMPLETE, completed, &tally), CL_SUCCESS);
  EXPECT_EQ(clWaitForEvents(1, read.address()), CL_SUCCESS);
  for (const Event *event : {&launched, &read})
    tally.events += query<cl_int>(clGetEventInfo, event->get(), CL_EVENT_COMMAND_EXECUTION_STATUS) == CL_COMPLETE;
  tally.right += data == resultsOf(number, items);
}

/// `rounds` builds and launches on each of 8 threads. One in four builds a program that is not in the cache.
void round(const App &app, int first, int rounds, Tally &tally) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < rounds; ++i)
        once(app, i % 4 == 0 ? first + thread * rounds + i : (thread + i) % 10, tally);
    });
  for (std::thread &thread : threads)
    thread.join();
}

struct Soak : ProcessTest {
  void loop(int warmUp, int rounds, const char *cache) {
    inNewProcess(
        [&] {
          App app;
          Tally before, tally;
          round(app, 1000, warmUp, before);
          size_t resident = residentKilobytes(), maps = linesOf("/proc/self/maps").size(), open = openDescriptors();
          round(app, 100000, rounds, tally);
          EXPECT_EQ(tally.right, 8 * rounds);
          EXPECT_EQ(tally.events, 16 * rounds);
          for (int i = 0; i < 500 && tally.callbacks < 16 * rounds; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10)); // callbacks run on a separate thread
          EXPECT_EQ(tally.callbacks, 16 * rounds);
          EXPECT_LT(residentKilobytes(), resident + 4096) << "KiB at first: " << resident;
          EXPECT_LT(linesOf("/proc/self/maps").size(), maps + 40) << "mappings at first: " << maps;
          EXPECT_LE(openDescriptors(), open + 2) << "descriptors at first: " << open;
        },
        {{"KILN_CACHE", cache}});
  }
};

TEST_F(Soak, HundredBuildsAndLaunches) { loop(6, 13, "on"); }
TEST_F(Soak, SlowThousandBuildsAndLaunches) { loop(25, 125, "on"); }
TEST_F(Soak, SlowThousandBuildsAndLaunchesWithoutCache) { loop(25, 125, "off"); }

} // namespace
} // namespace kiln::test
