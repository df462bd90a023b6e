// Order, events and times.
#include "tests/backends/suite/Suite.h"
#include <algorithm>
#include <atomic>

namespace kiln::suite {

class DeviceQueues : public OnDevice {
protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (HasFatalFailure())
      return;
    program = build(R"(
kernel void scale(global int *a, int factor, int add) { int i = get_global_id(0); a[i] = a[i] * factor + add; }
kernel void sum(global const int *a, global const int *b, global int *c) {
  int i = get_global_id(0);
  c[i] = a[i] + b[i];
}
kernel void busy(global int *a, int rounds) {
  int v = a[get_global_id(0)];
  for (int i = 0; i < rounds; ++i)
    v = v * 1664525 + 1013904223;
  a[get_global_id(0)] = v;
}
)");
    ASSERT_NE(program, nullptr);
  }
  Kernel scale(cl_mem memory, cl_int factor, cl_int add) {
    Kernel made = kernel(program, "scale");
    clSetKernelArg(made, 0, sizeof memory, &memory);
    clSetKernelArg(made, 1, 4, &factor);
    clSetKernelArg(made, 2, 4, &add);
    return made;
  }
  Program program;
};
ON_EVERY_DEVICE(DeviceQueues);

TEST_P(DeviceQueues, ChainOfAThousand) {
  Mem memory = buffer(std::vector<cl_int>(256, 1));
  Kernel grow = scale(memory, 3, 1);
  for (int i = 0; i < 1000; ++i)
    launch(grow, {256});
  cl_uint expected = 1;
  for (int i = 0; i < 1000; ++i)
    expected = expected * 3 + 1;
  EXPECT_EQ(read<cl_int>(memory, 256), std::vector<cl_int>(256, cl_int(expected)));
}

// The device has the next command before one ends, without a round trip to the host.
TEST_P(DeviceQueues, NoRoundTripBetweenCommands) {
  constexpr int Count = 1000;
  Queue timed = makeQueue(device, CL_QUEUE_PROFILING_ENABLE);
  Mem memory = buffer(std::vector<cl_int>(256, 1));
  Kernel busy = kernel(program, "busy");
  set(busy, 0, memory, cl_int(20'000));
  std::vector<Event> events(Count);
  for (Event &event : events)
    launch(timed, busy, {256}, {}, {}, {}, event.out());
  ASSERT_EQ(clFinish(timed), CL_SUCCESS);
  auto time = [&](int i, cl_profiling_info which) {
    cl_ulong value = 0;
    EXPECT_EQ(clGetEventProfilingInfo(events[size_t(i)], which, sizeof value, &value, nullptr), CL_SUCCESS);
    return value;
  };
  int ahead = 0;
  std::vector<cl_ulong> gaps;
  for (int i = 0; i + 1 < Count; ++i) {
    cl_ulong end = time(i, CL_PROFILING_COMMAND_END);
    ahead += time(i + 1, CL_PROFILING_COMMAND_SUBMIT) <= end;
    gaps.push_back(time(i + 1, CL_PROFILING_COMMAND_START) - end);
  }
  // Some may be late if the application's thread loses its processor.
  EXPECT_GE(ahead, Count * 9 / 10);
  std::nth_element(gaps.begin(), gaps.begin() + Count / 2, gaps.end());
  RecordProperty("median gap in ns", std::to_string(gaps[Count / 2]));
  RecordProperty("submitted ahead", ahead);
}

// Every kind of command in one chain, without waiting.
TEST_P(DeviceQueues, ChainOfEverything) {
  constexpr size_t Count = 5000;
  Mem a = buffer(Count * 4), b = buffer(Count * 4);
  std::vector<cl_int> ones(Count, 1), result(Count);
  cl_int five = 5;
  Kernel grow = scale(a, 2, 1);
  ASSERT_EQ(clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, Count * 4, ones.data(), 0, nullptr, nullptr), CL_SUCCESS);
  for (int round = 0; round < 20; ++round) {
    launch(grow, {Count});
    ASSERT_EQ(clEnqueueFillBuffer(queue, b, &five, 4, 0, Count * 4, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueCopyBuffer(queue, a, b, 0, 0, Count * 2, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueReadBuffer(queue, b, CL_FALSE, 0, Count * 4, result.data(), 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, Count * 4, result.data(), 0, nullptr, nullptr), CL_SUCCESS)
        << "the write uses the result of the read before it";
  }
  ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  cl_int expected = 1;
  for (int round = 0; round < 20; ++round)
    expected = expected * 2 + 1;
  EXPECT_EQ(result[0], expected);
  EXPECT_EQ(result[Count / 2 - 1], expected);
  EXPECT_EQ(result[Count / 2], 5);
  EXPECT_EQ(read<cl_int>(a, Count), result);
}

TEST_P(DeviceQueues, OutOfOrder) {
  if (!(query<cl_command_queue_properties>(clGetDeviceInfo, device, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES) &
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
    GTEST_SKIP() << "the device has no out-of-order queues";
  Queue free = makeQueue(device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  constexpr int Chains = 8, Length = 50;
  std::vector<Mem> memories;
  std::vector<Event> last(Chains);
  for (int c = 0; c < Chains; ++c)
    memories.push_back(buffer(std::vector<cl_int>(100, c)));
  for (int i = 0; i < Length; ++i)
    for (int c = 0; c < Chains; ++c) {
      Kernel grow = scale(memories[size_t(c)], 3, i);
      Event event;
      launch(free, grow, {100}, {}, {}, i ? std::vector<cl_event>{last[size_t(c)].get()} : std::vector<cl_event>{},
             event.out());
      last[size_t(c)] = std::move(event);
    }
  std::vector<cl_event> all;
  for (Event &event : last)
    all.push_back(event);
  ASSERT_EQ(clWaitForEvents(Chains, all.data()), CL_SUCCESS);
  for (int c = 0; c < Chains; ++c) {
    cl_uint expected = cl_uint(c);
    for (int i = 0; i < Length; ++i)
      expected = expected * 3 + cl_uint(i);
    EXPECT_EQ(read<cl_int>(free, memories[size_t(c)], 100), std::vector<cl_int>(100, cl_int(expected)));
  }
}

TEST_P(DeviceQueues, BarrierInAnOutOfOrderQueue) {
  Queue free = makeQueue(device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Mem a = buffer(std::vector<cl_int>(1000, 1)), b = buffer(std::vector<cl_int>(1000, 2)), c = buffer(4000);
  for (int round = 0; round < 50; ++round) {
    Kernel first = scale(a, 1, 1), second = scale(b, 1, 1), sum = kernel(program, "sum");
    set(sum, 0, a, b, c);
    launch(free, first, {1000});
    launch(free, second, {1000});
    ASSERT_EQ(clEnqueueBarrierWithWaitList(free, 0, nullptr, nullptr), CL_SUCCESS);
    launch(free, sum, {1000});
    ASSERT_EQ(clEnqueueBarrierWithWaitList(free, 0, nullptr, nullptr), CL_SUCCESS);
  }
  EXPECT_EQ(read<cl_int>(free, c, 1000), std::vector<cl_int>(1000, 103));
}

// A marker without a wait list completes after every earlier command, of whatever stream of the queue.
TEST_P(DeviceQueues, MarkerInAnOutOfOrderQueue) {
  if (!(query<cl_command_queue_properties>(clGetDeviceInfo, device, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES) &
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
    GTEST_SKIP() << "the device has no out-of-order queues";
  constexpr int Launches = 6;
  for (int round = 0; round < 20; ++round) {
    Queue free = makeQueue(device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    std::vector<Mem> memories;
    std::vector<Event> events(Launches);
    for (int i = 0; i < Launches; ++i) {
      memories.push_back(buffer(std::vector<cl_int>(64, 1)));
      Kernel busy = kernel(program, "busy");
      set(busy, 0, memories.back(), cl_int(i == round % Launches ? 20'000 : 10)); // one is long
      launch(free, busy, {64}, {}, {}, {}, events[size_t(i)].out());
    }
    Event marker;
    ASSERT_EQ(clEnqueueMarkerWithWaitList(free, 0, nullptr, marker.out()), CL_SUCCESS);
    cl_event wait = marker;
    if (round % 2) {
      ASSERT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
    } else {
      ASSERT_EQ(clFlush(free), CL_SUCCESS);
      while (query<cl_int>(clGetEventInfo, wait, CL_EVENT_COMMAND_EXECUTION_STATUS) != CL_COMPLETE) {
      }
    }
    for (Event &event : events)
      EXPECT_EQ(query<cl_int>(clGetEventInfo, event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS), CL_COMPLETE)
          << "round " << round;
  }
}

TEST_P(DeviceQueues, AcrossQueues) {
  Queue other = makeQueue(device);
  Mem memory = buffer(std::vector<cl_int>(1000, 1));
  Kernel grow = scale(memory, 3, 1);
  Event last;
  cl_uint expected = 1;
  for (int i = 0; i < 200; ++i) {
    Event event;
    launch(i % 2 ? other : queue, grow, {1000}, {}, {},
           last ? std::vector<cl_event>{last.get()} : std::vector<cl_event>{}, event.out());
    last = std::move(event);
    expected = expected * 3 + 1;
  }
  cl_event wait = last;
  ASSERT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
  EXPECT_EQ(read<cl_int>(memory, 1000), std::vector<cl_int>(1000, cl_int(expected)));
}

TEST_P(DeviceQueues, UserEventHoldsBack) {
  cl_int code = 1;
  Event gate = clCreateUserEvent(context, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  Mem memory = buffer(std::vector<cl_int>(100, 1));
  Kernel grow = scale(memory, 1, 1);
  Event event;
  launch(queue, grow, {100}, {}, {}, {gate.get()}, event.out());
  ASSERT_EQ(clFlush(queue), CL_SUCCESS);
  Queue other = makeQueue(device);
  EXPECT_EQ(read<cl_int>(other, memory, 1)[0], 1);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  cl_event wait = event;
  ASSERT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
  EXPECT_EQ(read<cl_int>(memory, 1)[0], 2);
}

// A command that the device has received, but that waits for another one, does not run.
TEST_P(DeviceQueues, WaitingIsNotRunning) {
  Queue other = makeQueue(device);
  Mem memory = buffer(std::vector<cl_int>(1)), second = buffer(std::vector<cl_int>(1));
  Kernel busy = kernel(program, "busy"), after = scale(second, 3, 1);
  set(busy, 0, memory, cl_int(3'000'000));
  auto status = [](const Event &event) {
    return query<cl_int>(clGetEventInfo, event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS);
  };
  for (cl_command_queue then : {queue.get(), other.get()}) {
    Event first, waiting;
    launch(queue, busy, {1}, {}, {}, {}, first.out());
    launch(then, after, {1}, {}, {}, {first}, waiting.out());
    ASSERT_EQ(clFlush(queue), CL_SUCCESS);
    ASSERT_EQ(clFlush(then), CL_SUCCESS);
    while (status(first) != CL_COMPLETE) {
      const cl_int seen = status(waiting);
      if (status(first) != CL_COMPLETE) {
        EXPECT_GT(seen, CL_RUNNING);
      }
    }
    EXPECT_EQ(clFinish(then), CL_SUCCESS);
    EXPECT_EQ(status(waiting), CL_COMPLETE);
  }
}

TEST_P(DeviceQueues, CallbacksWithoutWaiting) {
  static std::atomic<int> calls;
  calls = 0;
  Mem memory = buffer(std::vector<cl_int>(100, 1));
  Kernel grow = scale(memory, 1, 1);
  for (int i = 0; i < 20; ++i) {
    Event event;
    launch(queue, grow, {100}, {}, {}, {}, event.out());
    ASSERT_EQ(clSetEventCallback(event, CL_COMPLETE, [](cl_event, cl_int, void *) { ++calls; }, nullptr), CL_SUCCESS);
  }
  ASSERT_EQ(clFlush(queue), CL_SUCCESS);
  for (int i = 0; i < 5000 && calls < 20; ++i) {
    const timespec millisecond{0, 1'000'000};
    nanosleep(&millisecond, nullptr);
  }
  EXPECT_EQ(calls, 20);
}

TEST_P(DeviceQueues, PollingEnds) {
  Mem memory = buffer(std::vector<cl_int>(100, 1));
  Kernel grow = scale(memory, 1, 1);
  Event event;
  launch(queue, grow, {100}, {}, {}, {}, event.out());
  cl_int status = CL_QUEUED;
  while (status > CL_COMPLETE)
    ASSERT_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr), CL_SUCCESS);
  EXPECT_EQ(status, CL_COMPLETE);
}

TEST_P(DeviceQueues, ProfilingTimes) {
  Queue timed = makeQueue(device, CL_QUEUE_PROFILING_ENABLE);
  Mem memory = buffer(std::vector<cl_int>(65'536, 1));
  Kernel busy = kernel(program, "busy");
  cl_ulong lastEnd = 0, shortest = 0, longest = 0;
  for (cl_int rounds : {10, 20'000}) {
    set(busy, 0, memory, rounds);
    cl_ulong best = ~0ull;
    for (int i = 0; i < 5; ++i) {
      Event event;
      launch(timed, busy, {65'536}, {}, {}, {}, event.out());
      cl_event wait = event;
      ASSERT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
      cl_ulong times[4];
      for (cl_uint t = 0; t < 4; ++t)
        ASSERT_EQ(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + t, 8, &times[t], nullptr), CL_SUCCESS);
      EXPECT_LE(times[0], times[1]);
      EXPECT_LE(times[1], times[2]);
      EXPECT_LE(times[2], times[3]);
      EXPECT_GE(times[2], lastEnd) << "commands of an in-order queue come one after the other";
      lastEnd = times[3];
      best = std::min(best, times[3] - times[2]);
    }
    (rounds == 10 ? shortest : longest) = best;
  }
  EXPECT_GT(longest, shortest) << "2,000 times the work";
}

TEST_P(DeviceQueues, ManyQueues) {
  std::vector<Queue> queues;
  std::vector<Mem> memories;
  for (int i = 0; i < 40; ++i) {
    queues.push_back(makeQueue(device));
    memories.push_back(buffer(std::vector<cl_int>(1000, i)));
  }
  for (int round = 0; round < 10; ++round)
    for (size_t i = 0; i < queues.size(); ++i) {
      Kernel grow = scale(memories[i], 2, 1);
      launch(queues[i], grow, {1000});
    }
  for (size_t i = 0; i < queues.size(); ++i)
    EXPECT_EQ(read<cl_int>(queues[i], memories[i], 1)[0], cl_int((i + 1) * 1024 - 1));
}

} // namespace kiln::suite
