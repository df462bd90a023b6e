// User events, waits, status, callbacks and profiling: the entries of chapters 5.11 and 5.14.
#include "tests/api/EnqueueRules.h"
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

namespace kiln::test {

struct EventTest : EnqueueTest {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(EnqueueTest::SetUp());
    b = buffer(64);
  }
  cl_int status(cl_event event) { return query<cl_int>(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS); }
  /// Enqueues a fill that waits for `waits`.
  Event fill(std::vector<cl_event> waits = {}, cl_command_queue on = nullptr) {
    Event event;
    int zero = 0;
    EXPECT_EQ(clEnqueueFillBuffer(on ? on : queue.get(), b, &zero, 4, 0, 64, cl_uint(waits.size()),
                                  waits.empty() ? nullptr : waits.data(), event.out()),
              CL_SUCCESS);
    return event;
  }
  Mem b;
};

struct CreateUserEvent : EventTest {};
struct SetUserEventStatus : EventTest {};
struct WaitForEvents : EventTest {};
struct GetEventInfo : EventTest {};
struct GetEventProfilingInfo : EventTest {};

TEST_F(CreateUserEvent, ContextInvalid) {
  PROVES("API-5.11b");
  cl_int code = 1;
  EXPECT_EQ(clCreateUserEvent(nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_CONTEXT);
}

TEST_F(CreateUserEvent, StartsSubmitted) {
  PROVES("API-5.11a API-5.11b API-5.11e");
  Event event = userEvent();
  EXPECT_EQ(status(event), CL_SUBMITTED);
  EXPECT_EQ(commandType(event), cl_command_type(CL_COMMAND_USER));
  EXPECT_EQ(query<cl_command_queue>(clGetEventInfo, event.get(), CL_EVENT_COMMAND_QUEUE), nullptr);
  EXPECT_EQ(query<cl_context>(clGetEventInfo, event.get(), CL_EVENT_CONTEXT), context);
}

TEST_F(SetUserEventStatus, OnceOnly) {
  PROVES("API-5.11b");
  Event event = userEvent();
  EXPECT_EQ(clSetUserEventStatus(event, CL_SUBMITTED), CL_INVALID_VALUE);
  EXPECT_EQ(clSetUserEventStatus(event, CL_RUNNING), CL_INVALID_VALUE);
  EXPECT_EQ(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clSetUserEventStatus(event, CL_COMPLETE), CL_INVALID_OPERATION);
  EXPECT_EQ(clSetUserEventStatus(event, -1), CL_INVALID_OPERATION);
}

TEST_F(SetUserEventStatus, EventOfACommand) {
  PROVES("API-5.11b");
  Event event = fill();
  EXPECT_EQ(clSetUserEventStatus(event, CL_COMPLETE), CL_INVALID_EVENT);
  EXPECT_EQ(clSetUserEventStatus(nullptr, CL_COMPLETE), CL_INVALID_EVENT);
}

TEST_F(SetUserEventStatus, HoldsAndReleasesCommands) {
  PROVES("API-5.11a EXEC-3.2b");
  Event gate = userEvent();
  Event first = fill({gate}), second = fill();
  clFlush(queue);
  EXPECT_GT(status(first), CL_RUNNING);
  EXPECT_GT(status(second), CL_RUNNING) << "in order after a command that waits";
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(status(first), CL_COMPLETE);
  EXPECT_EQ(status(second), CL_COMPLETE);
}

TEST_F(SetUserEventStatus, FailureSkipsDependents) {
  PROVES("API-5.11c");
  Queue other = makeQueue();
  Event gate = userEvent();
  Event direct = fill({gate}), across = fill({direct}, other);
  ASSERT_EQ(clSetUserEventStatus(gate, -5), CL_SUCCESS);
  cl_event both[] = {direct, across};
  EXPECT_EQ(clWaitForEvents(2, both), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_LT(status(direct), 0);
  EXPECT_LT(status(across), 0);
  Queue fresh = makeQueue();
  Event after = fill({}, fresh);
  EXPECT_EQ(clWaitForEvents(1, after.address()), CL_SUCCESS) << "the context is usable afterwards";
}

TEST_F(WaitForEvents, ListEmptyOrInvalid) {
  PROVES("API-5.11d");
  Event gate = userEvent();
  EXPECT_EQ(clWaitForEvents(0, gate.address()), CL_INVALID_VALUE);
  EXPECT_EQ(clWaitForEvents(1, nullptr), CL_INVALID_VALUE);
  cl_event bad[] = {gate, nullptr};
  EXPECT_EQ(clWaitForEvents(2, bad), CL_INVALID_EVENT);
  Event foreign = userEvent(otherContext);
  cl_event mixed[] = {gate, foreign};
  EXPECT_EQ(clWaitForEvents(2, mixed), CL_INVALID_CONTEXT);
  clSetUserEventStatus(gate, CL_COMPLETE);
  clSetUserEventStatus(foreign, CL_COMPLETE);
}

TEST_F(WaitForEvents, FlushesTheQueues) {
  PROVES("API-5.11d API-5.15a API-5.1g");
  Queue other = makeQueue();
  Event first = fill({}, other), second = fill({first});
  EXPECT_EQ(clWaitForEvents(1, second.address()), CL_SUCCESS);
  EXPECT_EQ(status(first), CL_COMPLETE);
}

TEST_F(WaitForEvents, WokenByAnotherThread) {
  PROVES("API-5.11d R16");
  Event gate = userEvent();
  std::thread opener([&] { clSetUserEventStatus(gate, CL_COMPLETE); });
  EXPECT_EQ(clWaitForEvents(1, gate.address()), CL_SUCCESS);
  opener.join();
}

TEST_F(GetEventInfo, InfoRules) {
  PROVES("R3 API-5.11e");
  Event event = fill();
  expectInfoRules(clGetEventInfo, event.get(), CL_EVENT_COMMAND_TYPE);
  EXPECT_EQ(clGetEventInfo(nullptr, CL_EVENT_COMMAND_TYPE, 0, nullptr, nullptr), CL_INVALID_EVENT);
  EXPECT_EQ(query<cl_command_queue>(clGetEventInfo, event.get(), CL_EVENT_COMMAND_QUEUE), queue);
  EXPECT_EQ(query<cl_context>(clGetEventInfo, event.get(), CL_EVENT_CONTEXT), context);
}

TEST_F(GetEventInfo, ReferenceCount) {
  PROVES("R13 API-5.11g");
  Event event = userEvent();
  cl_event e = event;
  EXPECT_EQ(query<cl_uint>(clGetEventInfo, e, CL_EVENT_REFERENCE_COUNT), 1u);
  EXPECT_EQ(clRetainEvent(e), CL_SUCCESS);
  EXPECT_EQ(query<cl_uint>(clGetEventInfo, e, CL_EVENT_REFERENCE_COUNT), 2u);
  EXPECT_EQ(clReleaseEvent(e), CL_SUCCESS);
  EXPECT_EQ(clRetainEvent(nullptr), CL_INVALID_EVENT);
  EXPECT_EQ(clReleaseEvent(nullptr), CL_INVALID_EVENT);
}

TEST_F(GetEventProfilingInfo, TimesAreInOrder) {
  PROVES("API-5.14a API-4.2o API-4.2p");
  cl_ulong before = 0, after = 0, deviceTime = 0;
  ASSERT_EQ(clGetDeviceAndHostTimer(device, &deviceTime, &before), CL_SUCCESS);
  Event event = fill();
  ASSERT_EQ(clWaitForEvents(1, event.address()), CL_SUCCESS);
  ASSERT_EQ(clGetHostTimer(device, &after), CL_SUCCESS);
  std::vector<cl_ulong> times;
  for (cl_profiling_info which : {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
                                  CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE})
    times.push_back(query<cl_ulong>(clGetEventProfilingInfo, event.get(), which));
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_GE(times.front(), before);
  EXPECT_LE(times.back(), after) << "device and host timer have one time base";
  expectInfoRules(clGetEventProfilingInfo, event.get(), CL_PROFILING_COMMAND_START);
}

TEST_F(GetEventProfilingInfo, NotAvailable) {
  PROVES("API-5.14a");
  cl_ulong time;
  auto code = [&](cl_event event) {
    return clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr);
  };
  Event gate = userEvent();
  EXPECT_EQ(code(gate), CL_PROFILING_INFO_NOT_AVAILABLE) << "user event";
  Event waiting = fill({gate});
  EXPECT_EQ(code(waiting), CL_PROFILING_INFO_NOT_AVAILABLE) << "not complete";
  clSetUserEventStatus(gate, CL_COMPLETE);
  clFinish(queue); // the commands of `plain` fill the same bytes
  Queue plain = makeQueue();
  Event event = fill({}, plain);
  clFinish(plain);
  EXPECT_EQ(code(event), CL_PROFILING_INFO_NOT_AVAILABLE) << "queue without profiling";
  EXPECT_EQ(code(nullptr), CL_INVALID_EVENT);
}

struct GetHostTimer : WithDevice {};
TEST_F(GetHostTimer, OutputNull) {
  PROVES("API-4.2o API-4.2p");
  cl_ulong time;
  EXPECT_EQ(clGetHostTimer(device, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetDeviceAndHostTimer(device, nullptr, &time), CL_INVALID_VALUE);
  EXPECT_EQ(clGetDeviceAndHostTimer(device, &time, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetHostTimer(nullptr, &time), CL_INVALID_DEVICE);
}

/// Counts calls of an event callback and waits for them.
struct Calls {
  static void CL_CALLBACK note(cl_event, cl_int status, void *data) {
    auto *self = static_cast<Calls *>(data);
    std::lock_guard lock(self->mutex);
    self->statuses.push_back(status);
    self->changed.notify_all();
  }
  bool waitFor(size_t count) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(20), [&] { return statuses.size() >= count; });
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<cl_int> statuses;
};

struct SetEventCallback : EventTest {};

TEST_F(SetEventCallback, FunctionOrStateInvalid) {
  PROVES("API-5.11f");
  Event event = userEvent();
  Calls calls;
  EXPECT_EQ(clSetEventCallback(event, CL_COMPLETE, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clSetEventCallback(event, CL_QUEUED, Calls::note, &calls), CL_INVALID_VALUE);
  EXPECT_EQ(clSetEventCallback(event, -1, Calls::note, &calls), CL_INVALID_VALUE);
  EXPECT_EQ(clSetEventCallback(nullptr, CL_COMPLETE, Calls::note, &calls), CL_INVALID_EVENT);
}

TEST_F(SetEventCallback, EachStateOnce) {
  PROVES("API-5.11f R14");
  Calls submitted, running, complete;
  Event gate = userEvent();
  Event event = fill({gate});
  EXPECT_EQ(clSetEventCallback(event, CL_SUBMITTED, Calls::note, &submitted), CL_SUCCESS);
  EXPECT_EQ(clSetEventCallback(event, CL_RUNNING, Calls::note, &running), CL_SUCCESS);
  EXPECT_EQ(clSetEventCallback(event, CL_COMPLETE, Calls::note, &complete), CL_SUCCESS);
  clSetUserEventStatus(gate, CL_COMPLETE);
  clFinish(queue);
  EXPECT_TRUE(complete.waitFor(1));
  EXPECT_TRUE(running.waitFor(1));
  EXPECT_TRUE(submitted.waitFor(1));
  EXPECT_EQ(complete.statuses, std::vector<cl_int>{CL_COMPLETE});
  EXPECT_EQ(running.statuses.size(), 1u);
  EXPECT_EQ(submitted.statuses.size(), 1u);
}

TEST_F(SetEventCallback, StateReachedAlready) {
  PROVES("API-5.11f");
  Calls calls;
  Event event = fill();
  clFinish(queue);
  EXPECT_EQ(clSetEventCallback(event, CL_COMPLETE, Calls::note, &calls), CL_SUCCESS);
  EXPECT_TRUE(calls.waitFor(1));
}

TEST_F(SetEventCallback, FailureIsPassed) {
  PROVES("API-5.11f API-5.11c");
  Calls user, command;
  Event gate = userEvent();
  Event event = fill({gate});
  clSetEventCallback(gate, CL_COMPLETE, Calls::note, &user);
  clSetEventCallback(event, CL_COMPLETE, Calls::note, &command);
  clSetUserEventStatus(gate, -7);
  ASSERT_TRUE(user.waitFor(1));
  ASSERT_TRUE(command.waitFor(1));
  EXPECT_EQ(user.statuses[0], -7);
  EXPECT_LT(command.statuses[0], 0);
}

// An event lives until its callbacks have run, also if the application releases it earlier.
TEST_F(SetEventCallback, ReleasedEventStillCalls) {
  PROVES("API-5.11f R13");
  Calls calls;
  Event gate = userEvent();
  Event event = fill({gate});
  clSetEventCallback(event, CL_COMPLETE, Calls::note, &calls);
  event.reset();
  clSetUserEventStatus(gate, CL_COMPLETE);
  EXPECT_TRUE(calls.waitFor(1));
}

TEST_F(SetEventCallback, MayEnqueueAndSetEvents) {
  PROVES("R14");
  struct Chain {
    cl_command_queue queue;
    cl_mem buffer;
    cl_event done;
    cl_int code = 1;
  } chain{queue, b, nullptr};
  Event done = userEvent();
  chain.done = done;
  Event event = fill();
  clSetEventCallback(
      event, CL_COMPLETE,
      [](cl_event, cl_int, void *data) {
        auto *chain = static_cast<Chain *>(data);
        int one = 1;
        chain->code = clEnqueueFillBuffer(chain->queue, chain->buffer, &one, 4, 0, 64, 0, nullptr, nullptr);
        clFlush(chain->queue);
        clSetUserEventStatus(chain->done, CL_COMPLETE);
      },
      &chain);
  clFlush(queue);
  ASSERT_EQ(clWaitForEvents(1, done.address()), CL_SUCCESS);
  EXPECT_EQ(chain.code, CL_SUCCESS);
  EXPECT_EQ(read<int>(b, 16), std::vector<int>(16, 1));
}

struct EnqueueMarkerWithWaitList : EventTest {};
struct EnqueueBarrierWithWaitList : EventTest {};

TEST_F(EnqueueMarkerWithWaitList, WaitListRules) {
  PROVES("R5 R6 API-5.12a");
  Event gate = userEvent(), foreign = userEvent(otherContext);
  for (auto call : {clEnqueueMarkerWithWaitList, clEnqueueBarrierWithWaitList}) {
    EXPECT_EQ(call(nullptr, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
    EXPECT_EQ(call(queue, 1, nullptr, nullptr), CL_INVALID_EVENT_WAIT_LIST);
    EXPECT_EQ(call(queue, 0, gate.address(), nullptr), CL_INVALID_EVENT_WAIT_LIST);
    EXPECT_EQ(call(queue, 1, foreign.address(), nullptr), CL_INVALID_CONTEXT);
  }
  clSetUserEventStatus(gate, CL_COMPLETE);
  clSetUserEventStatus(foreign, CL_COMPLETE);
}

TEST_F(EnqueueMarkerWithWaitList, WaitsForAllEarlierCommands) {
  PROVES("API-5.12a R6");
  for (cl_command_queue_properties order : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    Queue q = makeQueue(order);
    Event gate = userEvent(), marker;
    Event before = fill({gate}, q);
    ASSERT_EQ(clEnqueueMarkerWithWaitList(q, 0, nullptr, marker.out()), CL_SUCCESS);
    clFlush(q);
    EXPECT_GT(status(marker), CL_COMPLETE);
    clSetUserEventStatus(gate, CL_COMPLETE);
    ASSERT_EQ(clWaitForEvents(1, marker.address()), CL_SUCCESS);
    EXPECT_EQ(status(before), CL_COMPLETE);
    EXPECT_EQ(commandType(marker), cl_command_type(CL_COMMAND_MARKER));
  }
}

// A marker waits for complete reads: after the device has finished, the host may still have to copy from a staging
// buffer.
TEST_F(EnqueueMarkerWithWaitList, EarlierReadsHaveEnded) {
  PROVES("API-5.12a R6");
  constexpr size_t Reads = 16, Bytes = 1 << 20;
  Mem source = buffer(Bytes);
  for (cl_command_queue_properties order : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    Queue q = makeQueue(order);
    const unsigned char value = order ? 7 : 3;
    ASSERT_EQ(clEnqueueFillBuffer(q, source, &value, 1, 0, Bytes, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(q), CL_SUCCESS);
    std::vector<std::vector<unsigned char>> into(Reads, std::vector<unsigned char>(Bytes));
    std::vector<Event> reads(Reads);
    Event marker;
    for (size_t i = 0; i < Reads; ++i)
      ASSERT_EQ(clEnqueueReadBuffer(q, source, CL_FALSE, 0, Bytes, into[i].data(), 0, nullptr, reads[i].out()),
                CL_SUCCESS);
    ASSERT_EQ(clEnqueueMarkerWithWaitList(q, 0, nullptr, marker.out()), CL_SUCCESS);
    ASSERT_EQ(clWaitForEvents(1, marker.address()), CL_SUCCESS);
    for (size_t i = 0; i < Reads; ++i) {
      EXPECT_EQ(status(reads[i]), CL_COMPLETE) << i;
      EXPECT_EQ(into[i][Bytes - 1], value) << i;
    }
    clFinish(q);
  }
}

TEST_F(EnqueueMarkerWithWaitList, DoesNotHoldLaterCommandsOutOfOrder) {
  PROVES("API-5.12a API-5.13a EXEC-3.2e");
  Queue q = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Event gate = userEvent(), marker;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(q, 1, gate.address(), marker.out()), CL_SUCCESS);
  Event later = fill({}, q);
  EXPECT_EQ(clWaitForEvents(1, later.address()), CL_SUCCESS);
  EXPECT_GT(status(marker), CL_COMPLETE);
  clSetUserEventStatus(gate, CL_COMPLETE);
  clFinish(q);
}

TEST_F(EnqueueBarrierWithWaitList, HoldsLaterCommands) {
  PROVES("API-5.12b API-5.13a");
  for (cl_command_queue_properties order : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    Queue q = makeQueue(order);
    Event gate = userEvent(), barrier;
    ASSERT_EQ(clEnqueueBarrierWithWaitList(q, 1, gate.address(), barrier.out()), CL_SUCCESS);
    Event later = fill({}, q);
    clFlush(q);
    EXPECT_GT(status(later), CL_RUNNING);
    clSetUserEventStatus(gate, CL_COMPLETE);
    clFinish(q);
    EXPECT_EQ(status(later), CL_COMPLETE);
    EXPECT_EQ(commandType(barrier), cl_command_type(CL_COMMAND_BARRIER));
  }
}

// A barrier with an empty wait list waits for all earlier commands. It completes also if one of them failed.
TEST_F(EnqueueBarrierWithWaitList, AfterAFailedCommand) {
  PROVES("API-5.12b EXEC-3.2f");
  for (cl_command_queue_properties order : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    Queue q = makeQueue(order);
    Event gate = userEvent(), barrier;
    Event failing = fill({gate}, q);
    ASSERT_EQ(clEnqueueBarrierWithWaitList(q, 0, nullptr, barrier.out()), CL_SUCCESS);
    Event later = fill({}, q);
    clFlush(q);
    clSetUserEventStatus(gate, -3);
    EXPECT_EQ(clWaitForEvents(1, later.address()), CL_SUCCESS);
    EXPECT_LT(status(failing), 0);
    EXPECT_EQ(status(barrier), CL_COMPLETE);
  }
}

// Deprecated functions: clEnqueueMarker, clEnqueueBarrier, clEnqueueWaitForEvents, clUnloadCompiler.
struct EnqueueDeprecatedSynchronisation : EventTest {};

TEST_F(EnqueueDeprecatedSynchronisation, Rules) {
  PROVES("API-ICDc");
  cl_event event = nullptr;
  EXPECT_EQ(clEnqueueMarker(nullptr, &event), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueMarker(queue, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueBarrier(nullptr), CL_INVALID_COMMAND_QUEUE);
  Event gate = userEvent();
  EXPECT_EQ(clEnqueueWaitForEvents(nullptr, 1, gate.address()), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueWaitForEvents(queue, 0, nullptr), CL_INVALID_VALUE);
  cl_event bad[] = {nullptr};
  EXPECT_EQ(clEnqueueWaitForEvents(queue, 1, bad), CL_INVALID_EVENT);
  EXPECT_EQ(clUnloadCompiler(), CL_SUCCESS);
  EXPECT_EQ(clSetCommandQueueProperty(queue, CL_QUEUE_PROFILING_ENABLE, CL_FALSE, nullptr), CL_INVALID_OPERATION);
}

TEST_F(EnqueueDeprecatedSynchronisation, WaitForEventsHoldsTheQueue) {
  PROVES("API-ICDc");
  Queue q = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Event gate = userEvent(), marker;
  ASSERT_EQ(clEnqueueWaitForEvents(q, 1, gate.address()), CL_SUCCESS);
  Event later = fill({}, q);
  ASSERT_EQ(clEnqueueMarker(q, marker.out()), CL_SUCCESS);
  ASSERT_EQ(clEnqueueBarrier(q), CL_SUCCESS);
  clFlush(q);
  EXPECT_GT(status(later), CL_RUNNING);
  EXPECT_GT(status(marker), CL_COMPLETE);
  clSetUserEventStatus(gate, CL_COMPLETE);
  EXPECT_EQ(clWaitForEvents(1, marker.address()), CL_SUCCESS);
}

struct Finish : EventTest {};
TEST_F(Finish, QueueInvalid) {
  PROVES("API-5.15a API-5.15b");
  EXPECT_EQ(clFinish(nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clFlush(nullptr), CL_INVALID_COMMAND_QUEUE);
}

TEST_F(Finish, ReleaseOfTheQueueFlushes) {
  PROVES("API-5.1e API-5.15a R13");
  Queue q = makeQueue();
  Event event = fill({}, q);
  q.reset();
  EXPECT_EQ(clWaitForEvents(1, event.address()), CL_SUCCESS);
}

TEST_F(Finish, ManyCommandsManyThreads) {
  PROVES("APP-A1 R16 API-5.1g");
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      cl_int code;
      cl_command_queue q =
          clCreateCommandQueue(context, device, t % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &code);
      cl_event previous = nullptr;
      for (int i = 0; i < 200; ++i) {
        cl_event event;
        cl_mem own = clCreateBuffer(context, 0, 256, nullptr, &code);
        failures += code != CL_SUCCESS;
        failures += clEnqueueFillBuffer(q, own, &i, 4, 0, 256, previous ? 1 : 0, previous ? &previous : nullptr,
                                        &event) != CL_SUCCESS;
        clReleaseMemObject(own);
        if (previous)
          clReleaseEvent(previous);
        previous = event;
      }
      failures += clFinish(q) != CL_SUCCESS;
      clReleaseEvent(previous);
      clReleaseCommandQueue(q);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
}

// Queued commands need memory, but neither threads nor stack depth.
struct InFlight : EventTest {
  static size_t threads() { return size_t(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {})); }
  void chain(int length) {
    const cl_uint one = 1, two = 2;
    Mem target = buffer(4), other = buffer(4); // unordered commands use different buffers
    Queue outOfOrder = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    Event gate = userEvent(), last = userEvent();
    clSetUserEventStatus(last, CL_COMPLETE);
    clFinish(queue);
    const size_t before = threads();
    ASSERT_EQ(clEnqueueFillBuffer(queue, target, &one, 4, 0, 4, 1, gate.address(), nullptr), CL_SUCCESS);
    for (int i = 0; i < length; ++i) {
      cl_event waits[] = {gate, last};
      Event next;
      ASSERT_EQ(clEnqueueFillBuffer(outOfOrder, other, &one, 4, 0, 4, 2, waits, next.out()), CL_SUCCESS);
      ASSERT_EQ(clEnqueueFillBuffer(queue, target, &one, 4, 0, 4, 0, nullptr, nullptr), CL_SUCCESS);
      last = std::move(next);
    }
    Event end;
    ASSERT_EQ(clEnqueueFillBuffer(queue, target, &two, 4, 0, 4, 1, last.address(), end.out()), CL_SUCCESS);
    EXPECT_EQ(clFlush(queue), CL_SUCCESS);
    EXPECT_EQ(status(end), CL_QUEUED);
    EXPECT_LE(threads(), before + std::thread::hardware_concurrency() + 2)
        << "the pool's threads and the callback thread";
    ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    ASSERT_EQ(clWaitForEvents(1, end.address()), CL_SUCCESS);
    EXPECT_EQ(read<cl_uint>(target, 1)[0], two);
  }
};

TEST_F(InFlight, HundredThousandCommands) {
  PROVES("EXEC-3.2b");
  chain(50'000);
}
TEST_F(InFlight, SlowTwoMillionCommands) { chain(1'000'000); }

} // namespace kiln::test
