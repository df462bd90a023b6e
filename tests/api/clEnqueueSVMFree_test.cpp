#include "tests/api/SharedMemoryTest.h"
#include <thread>

namespace kiln::test {
struct EnqueueSvmFree : SharedMemoryTest {
  void *allocate() { return clSVMAlloc(context, 0, 64, 0); }
  struct Called {
    std::atomic<int> times{0};
    std::vector<void *> pointers;
    cl_command_queue queue = nullptr;
    std::atomic<bool> done{false};
    static void CL_CALLBACK call(cl_command_queue queue, cl_uint count, void *pointers[], void *data) {
      auto *self = static_cast<Called *>(data);
      self->queue = queue;
      self->pointers.assign(pointers, pointers + count);
      ++self->times;
      self->done = true;
    }
    void wait() {
      while (!done)
        std::this_thread::yield();
    }
  };
};

TEST_F(EnqueueSvmFree, EnqueueRules) {
  PROVES("R6 API-5.6.1d API-5.11e");
  expectEnqueueRules(
      [&](auto q, auto n, auto w, auto e) {
        void *list[] = {allocate(), nullptr};
        cl_int code = clEnqueueSVMFree(q, 2, list, nullptr, nullptr, n, w, e);
        if (code != CL_SUCCESS)
          clSVMFree(context, list[0]);
        return code;
      },
      CL_COMMAND_SVM_FREE);
}

TEST_F(EnqueueSvmFree, CountAndListDisagree) {
  PROVES("API-5.6.1d");
  void *list[] = {allocate()};
  EXPECT_EQ(clEnqueueSVMFree(queue, 0, list, nullptr, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMFree(queue, 1, nullptr, nullptr, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMFree(queue, 0, nullptr, nullptr, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(finish(), CL_SUCCESS);
  EXPECT_TRUE(isAllocated(list[0]));
  clSVMFree(context, list[0]);
}

TEST_F(EnqueueSvmFree, SystemPointersNeedACallback) {
  PROVES("API-5.6.1d");
  int local = 0;
  void *list[] = {allocate(), &local};
  EXPECT_EQ(clEnqueueSVMFree(queue, 2, list, nullptr, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(finish(), CL_SUCCESS);
  EXPECT_TRUE(isAllocated(list[0])) << "a failed call frees nothing";
  Called called;
  EXPECT_EQ(clEnqueueSVMFree(queue, 2, list, Called::call, &called, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(finish(), CL_SUCCESS);
  called.wait();
  EXPECT_EQ(called.pointers, (std::vector<void *>{list[0], &local}));
  EXPECT_TRUE(isAllocated(list[0])) << "the callback must free the memory";
  clSVMFree(context, list[0]);
}

TEST_F(EnqueueSvmFree, InQueueOrder) {
  PROVES("API-5.6.1d");
  void *list[] = {allocate()};
  Event wait = gate();
  ASSERT_EQ(clEnqueueSVMFree(queue, 1, list, nullptr, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_TRUE(isAllocated(list[0]));
  open(wait);
  EXPECT_EQ(finish(), CL_SUCCESS);
  EXPECT_FALSE(isAllocated(list[0]));
}

TEST_F(EnqueueSvmFree, ListIsCopiedAtTheCall) {
  PROVES("API-5.6.1d");
  void *first = allocate(), *second = allocate();
  void *list[] = {first, second};
  Called called;
  Event wait = gate();
  ASSERT_EQ(clEnqueueSVMFree(queue, 2, list, Called::call, &called, 0, nullptr, nullptr), CL_SUCCESS);
  list[0] = list[1] = nullptr;
  EXPECT_EQ(called.times, 0);
  open(wait);
  called.wait();
  EXPECT_EQ(finish(), CL_SUCCESS);
  EXPECT_EQ(called.times, 1);
  EXPECT_EQ(called.queue, queue.get());
  EXPECT_EQ(called.pointers, (std::vector<void *>{first, second}));
  clSVMFree(context, first);
  clSVMFree(context, second);
}

// The command is complete when the callback has returned: later commands and clFinish wait for the callback.
TEST_F(EnqueueSvmFree, CompleteWhenTheCallbackHasReturned) {
  PROVES("API-5.6.1d");
  struct Slow {
    std::atomic<bool> done{false};
    static void CL_CALLBACK call(cl_command_queue, cl_uint, void *[], void *data) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      static_cast<Slow *>(data)->done = true;
    }
  };
  for (cl_command_queue_properties properties : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    Queue own = makeQueue(properties);
    Slow slow[3];
    auto free = [&](Slow &one, cl_event *event) {
      return clEnqueueSVMFree(own, 0, nullptr, Slow::call, &one, 0, nullptr, event);
    };
    Event freed, behind;
    ASSERT_EQ(free(slow[0], freed.out()), CL_SUCCESS);
    EXPECT_EQ(clWaitForEvents(1, freed.address()), CL_SUCCESS);
    EXPECT_TRUE(slow[0].done);
    ASSERT_EQ(free(slow[1], nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueMarkerWithWaitList(own, 0, nullptr, behind.out()), CL_SUCCESS);
    EXPECT_EQ(clWaitForEvents(1, behind.address()), CL_SUCCESS);
    EXPECT_TRUE(slow[1].done);
    ASSERT_EQ(free(slow[2], nullptr), CL_SUCCESS);
    EXPECT_EQ(clFinish(own), CL_SUCCESS);
    EXPECT_TRUE(slow[2].done);
  }
}

// The queue lives until the callback has run, also if the application releases it earlier.
TEST_F(EnqueueSvmFree, QueueReleasedBeforeTheCallback) {
  PROVES("API-5.6.1d R13");
  Called called;
  {
    Queue own = makeQueue();
    ASSERT_EQ(clEnqueueSVMFree(own, 0, nullptr, Called::call, &called, 0, nullptr, nullptr), CL_SUCCESS);
  }
  called.wait();
  EXPECT_TRUE(called.pointers.empty());
}

TEST_F(EnqueueSvmFree, SkippedCommandFreesNothing) {
  PROVES("API-5.6.1d");
  void *list[] = {allocate()};
  Called called;
  Event failed = userEvent();
  ASSERT_EQ(clEnqueueSVMFree(queue, 1, list, nullptr, nullptr, 1, failed.address(), nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueSVMFree(queue, 1, list, Called::call, &called, 1, failed.address(), nullptr), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(failed, -7), CL_SUCCESS);
  EXPECT_EQ(finish(), CL_SUCCESS);
  EXPECT_TRUE(isAllocated(list[0]));
  EXPECT_EQ(called.times, 0);
  clSVMFree(context, list[0]);
}

TEST_F(EnqueueSvmFree, FreedMeanwhileByTheApplication) {
  PROVES("API-5.6.1d");
  void *list[] = {allocate(), nullptr};
  list[1] = list[0];
  Event wait = gate();
  ASSERT_EQ(clEnqueueSVMFree(queue, 2, list, nullptr, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  clSVMFree(context, list[0]);
  open(wait);
  EXPECT_EQ(finish(), CL_SUCCESS);
}

TEST_F(EnqueueSvmFree, NoProfilingTimes) {
  PROVES("API-5.14a");
  void *list[] = {allocate()};
  Event event;
  ASSERT_EQ(clEnqueueSVMFree(queue, 1, list, nullptr, nullptr, 0, nullptr, event.out()), CL_SUCCESS);
  EXPECT_EQ(finish(), CL_SUCCESS);
  cl_ulong time = 0;
  EXPECT_EQ(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr),
            CL_PROFILING_INFO_NOT_AVAILABLE);
}
} // namespace kiln::test
