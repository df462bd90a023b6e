// The common rules of enqueue calls (R5 to R7 of tests/FEATURES.md). The test of each entry checks them with its own
// call.
#pragma once
#include "tests/api/ApiTest.h"
#include <functional>

namespace kiln::test {

/// Calls the entry with valid arguments, except for the given ones.
using BufferCommand = std::function<cl_int(cl_command_queue queue, cl_mem buffer, cl_uint numWaits,
                                           const cl_event *waits, cl_event *event)>;

/// The same for commands without a buffer.
using Command = std::function<cl_int(cl_command_queue queue, cl_uint numWaits, const cl_event *waits, cl_event *event)>;

struct EnqueueTest : WithQueue {
  /// Checks the rules of queue and wait list. A failed call must enqueue nothing and return no event. `type`: the
  /// expected command type of the event; 0: not checked.
  void expectEnqueueRules(const Command &call, cl_command_type type) {
    cl_event none = nullptr;
    EXPECT_EQ(call(nullptr, 0, nullptr, &none), CL_INVALID_COMMAND_QUEUE) << "queue invalid";
    Event ready = userEvent(), otherEvent = userEvent(otherContext);
    EXPECT_EQ(call(queue, 1, otherEvent.address(), &none), CL_INVALID_CONTEXT) << "event of another context";
    EXPECT_EQ(call(queue, 1, nullptr, &none), CL_INVALID_EVENT_WAIT_LIST) << "list null, count 1";
    EXPECT_EQ(call(queue, 0, ready.address(), &none), CL_INVALID_EVENT_WAIT_LIST) << "list given, count 0";
    cl_event bad[] = {ready, nullptr};
    EXPECT_EQ(call(queue, 2, bad, &none), CL_INVALID_EVENT_WAIT_LIST) << "null event in the list";
    EXPECT_EQ(none, nullptr) << "a failing call left an event";
    clSetUserEventStatus(ready, CL_COMPLETE);
    clSetUserEventStatus(otherEvent, CL_COMPLETE);
    Event event;
    EXPECT_EQ(call(queue, 1, ready.address(), event.out()), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    EXPECT_EQ(query<cl_int>(clGetEventInfo, event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS), CL_COMPLETE);
    if (type) {
      EXPECT_EQ(commandType(event), type);
    }
  }
  /// Also checks the rules of the buffer's handle and context.
  void expectEnqueueRules(const BufferCommand &call, cl_mem buffer) {
    cl_event none = nullptr;
    EXPECT_EQ(call(queue, nullptr, 0, nullptr, &none), CL_INVALID_MEM_OBJECT) << "buffer invalid";
    Queue otherQueue = makeQueue(0, otherContext);
    EXPECT_EQ(call(otherQueue, buffer, 0, nullptr, &none), CL_INVALID_CONTEXT) << "queue of another context";
    EXPECT_EQ(none, nullptr) << "a failing call left an event";
    expectEnqueueRules([&](auto q, auto n, auto w, auto e) { return call(q, buffer, n, w, e); }, 0);
  }
  /// Checks rule R7: a blocking call returns the failure of a dependency.
  void expectBlockingReportsFailure(const BufferCommand &blockingCall, cl_mem buffer) {
    Event failed = userEvent();
    clSetUserEventStatus(failed, -42);
    EXPECT_EQ(blockingCall(queue, buffer, 1, failed.address(), nullptr), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  }
  cl_command_type commandType(cl_event event) {
    return query<cl_command_type>(clGetEventInfo, event, CL_EVENT_COMMAND_TYPE);
  }
  std::vector<int> numbers(size_t count, int first = 0) {
    std::vector<int> list(count);
    std::iota(list.begin(), list.end(), first);
    return list;
  }
};

} // namespace kiln::test
