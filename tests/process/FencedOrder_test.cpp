// Commands of a GPU that wait for another stream of it: their ends and times as the application sees them. The fake
// GPU.
#include "tests/backends/gpu/FakeDriver.h"
#include "tests/process/ProcessTest.h"
#include <atomic>
#include <chrono>
#include <dlfcn.h>
#include <thread>

namespace kiln::test {
namespace {

using namespace std::chrono_literals;

fake::Control &driver() {
  void *library = dlopen(KILN_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL); // the one that libkiln has loaded
  return *reinterpret_cast<fake::Control *(*)()>(dlsym(library, "kiln_fake_driver"))();
}

struct FencedOrder : ProcessTest {
  void onFakeGpu(const std::function<void(App &)> &situation) {
    inNewProcess(
        [&] {
          App app(CL_DEVICE_TYPE_GPU);
          situation(app);
        },
        {{"KILN_DEVICES", "cuda"}, {"KILN_CUDA_LIBRARY", KILN_FAKE_CUDA}});
  }
  static Queue queueOf(const App &app, cl_command_queue_properties properties) {
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_int code = 1;
    Queue queue(clCreateCommandQueueWithProperties(app.context, app.device, list, &code));
    EXPECT_EQ(code, CL_SUCCESS);
    return queue;
  }
  static cl_int statusOf(const Event &event) {
    return query<cl_int>(clGetEventInfo, event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS);
  }
  static cl_ulong timeOf(const Event &event, cl_profiling_info which) {
    return query<cl_ulong>(clGetEventProfilingInfo, event.get(), which);
  }
};

/// A kernel of one work-item.
struct Tick {
  explicit Tick(const App &app) : program(app.source("kernel void tick() {}")) {
    EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
    cl_int code = 1;
    kernel = clCreateKernel(program, "tick", &code);
    EXPECT_EQ(code, CL_SUCCESS);
  }
  Event launch(cl_command_queue queue, const Event *after = nullptr) const {
    const size_t one = 1;
    const cl_event wait = after ? after->get() : nullptr;
    Event event;
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, &one, after ? 1 : 0, after ? &wait : nullptr,
                                     event.out()),
              CL_SUCCESS);
    return event;
  }
  Program program;
  Kernel kernel;
};

/// Stops the first thread that has found the end of a timed command, before it ends that command. One at a time.
class StoppedThread {
public:
  StoppedThread() {
    driver().onCall("cuEventElapsedTime", [this] {
      entered_ = true;
      while (!released_)
        std::this_thread::sleep_for(1ms);
    });
  }
  ~StoppedThread() {
    release();
    driver().reset();
  }
  void awaitEntry() const {
    while (!entered_ && !testing::Test::HasFailure())
      std::this_thread::sleep_for(1ms);
  }
  void release() { released_ = true; }
  bool isReleased() const { return released_; }

private:
  std::atomic<bool> entered_{false}, released_{false};
};

} // namespace

// A thread has found the end of the first command and reads its times. The GPU has ended the second one as well, and
// another thread polls that.
TEST_F(FencedOrder, ACommandEndsAfterTheOneThatItWaitsFor) {
  PROVES("API-5.11d");
  onFakeGpu([](App &app) {
    const Queue timed = queueOf(app, CL_QUEUE_PROFILING_ENABLE);
    const Tick tick(app);
    StoppedThread stopped;
    const Event first = tick.launch(timed), second = tick.launch(app.queue, &first);
    std::thread waiting([&] { EXPECT_EQ(clWaitForEvents(1, first.address()), CL_SUCCESS); });
    stopped.awaitEntry();
    std::thread waitingForSecond([&] {
      EXPECT_EQ(clWaitForEvents(1, second.address()), CL_SUCCESS);
      EXPECT_TRUE(stopped.isReleased());
      EXPECT_EQ(statusOf(first), CL_COMPLETE);
    });
    for (int i = 0; i < 50; ++i, std::this_thread::sleep_for(1ms)) {
      EXPECT_NE(statusOf(second), CL_COMPLETE);
      if (HasFailure())
        break;
    }
    stopped.release();
    waiting.join();
    waitingForSecond.join();
  });
}

// In an in-order queue the next command does not end before either.
TEST_F(FencedOrder, LaterCommandsOfTheQueueWaitAsWell) {
  PROVES("API-5.11d");
  onFakeGpu([](App &app) {
    const Queue timed = queueOf(app, CL_QUEUE_PROFILING_ENABLE);
    const Tick tick(app);
    StoppedThread stopped;
    const Event before = tick.launch(app.queue), first = tick.launch(timed), second = tick.launch(app.queue, &first),
                third = tick.launch(app.queue);
    std::thread waiting([&] { EXPECT_EQ(clWaitForEvents(1, first.address()), CL_SUCCESS); });
    stopped.awaitEntry();
    EXPECT_EQ(clWaitForEvents(1, before.address()), CL_SUCCESS);
    for (int i = 0; i < 20 && !HasFailure(); ++i, std::this_thread::sleep_for(1ms))
      EXPECT_NE(statusOf(third), CL_COMPLETE);
    stopped.release();
    EXPECT_EQ(clFinish(app.queue), CL_SUCCESS);
    for (const Event *event : {&first, &second, &third})
      EXPECT_EQ(statusOf(*event), CL_COMPLETE);
    waiting.join();
  });
}

// The first command seems to be late and the second one early, each by more than both take.
TEST_F(FencedOrder, ACommandStartsAfterTheEndOfTheOneThatItWaitsFor) {
  PROVES("API-5.14a");
  for (bool inOrder : {true, false})
    onFakeGpu([inOrder](App &app) {
      const cl_command_queue_properties order = inOrder ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
      const Queue one = queueOf(app, CL_QUEUE_PROFILING_ENABLE | order);
      const Queue other = inOrder ? queueOf(app, CL_QUEUE_PROFILING_ENABLE) : Queue();
      const Tick tick(app);
      driver().reset();
      driver().hold(true);
      const Event first = tick.launch(one), second = tick.launch(inOrder ? other : one, &first),
                  third = tick.launch(inOrder ? other : one, &second);
      const std::vector<fake::Launch> launches = driver().launches();
      ASSERT_EQ(launches.size(), 3u);
      ASSERT_NE(launches[0].stream, launches[1].stream);
      driver().shiftEvents(launches[2].stream, -5);
      driver().shiftEvents(launches[1].stream, -5);
      driver().shiftEvents(launches[0].stream, 5);
      std::this_thread::sleep_for(2ms);
      driver().hold(false);
      ASSERT_EQ(clWaitForEvents(1, third.address()), CL_SUCCESS);
      EXPECT_GE(timeOf(second, CL_PROFILING_COMMAND_START), timeOf(first, CL_PROFILING_COMMAND_END));
      EXPECT_GE(timeOf(third, CL_PROFILING_COMMAND_START), timeOf(second, CL_PROFILING_COMMAND_END));
      for (const Event *event : {&first, &second, &third})
        EXPECT_GE(timeOf(*event, CL_PROFILING_COMMAND_END), timeOf(*event, CL_PROFILING_COMMAND_START));
    });
}

} // namespace kiln::test
