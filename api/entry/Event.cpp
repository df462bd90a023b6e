// Chapters 5.11, 5.12 and 5.14: events, markers, barriers, profiling.
#include "api/entry/Entry.h"

using namespace kiln;
using namespace kiln::api;

cl_event CL_API_CALL clCreateUserEvent(cl_context handle, cl_int *errcode) {
  return create("clCreateUserEvent", errcode, [&]() -> Result<cl_event> {
    Context *context = KILN_TRY(check::live<Context>(handle));
    return Event::createUser(*context).handle();
  });
}

cl_int CL_API_CALL clSetUserEventStatus(cl_event handle, cl_int status) {
  return enter("clSetUserEventStatus", [&]() -> Status {
    Event *event = KILN_TRY(check::object<Event>(handle));
    return event->setUserStatus(status);
  });
}

cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event *handles) {
  return enter("clWaitForEvents", [&]() -> Status {
    if (!count || !handles)
      return fail(CL_INVALID_VALUE, "num_events is 0 or event_list is null");
    WaitList events;
    events.reserve(count);
    for (cl_uint i = 0; i < count; ++i) {
      Event *event = KILN_TRY(check::object<Event>(handles[i]));
      if (i && &event->context() != &events.front()->context())
        return fail(CL_INVALID_CONTEXT, "events 0 and ", i, " have different contexts");
      events.emplace_back(event);
    }
    return Event::waitFor(events);
  });
}

cl_int CL_API_CALL clGetEventInfo(cl_event handle, cl_event_info param, size_t size, void *value, size_t *sizeRet) {
  return enterUntraced("clGetEventInfo", [&]() -> Status {
    Event *event = KILN_TRY(check::object<Event>(handle));
    InfoWriter writer(size, value, sizeRet);
    switch (param) {
#define KILN_EVENT_QUERY(...) KILN_QUERY_CASE(__VA_ARGS__)
#include "api/spec/Queries.def"
    }
    return writer.unknownParam(param);
  });
}

cl_int CL_API_CALL clGetEventProfilingInfo(cl_event handle, cl_profiling_info param, size_t size, void *value,
                                           size_t *sizeRet) {
  return enter("clGetEventProfilingInfo", [&]() -> Status {
    Event *event = KILN_TRY(check::object<Event>(handle));
    return InfoWriter(size, value, sizeRet).write<cl_ulong>(event->profilingTime(param));
  });
}

cl_int CL_API_CALL clRetainEvent(cl_event event) {
  return enter("clRetainEvent", [&] { return check::retain<Event>(event); });
}

cl_int CL_API_CALL clReleaseEvent(cl_event event) {
  return enter("clReleaseEvent", [&] { return check::release<Event>(event); });
}

cl_int CL_API_CALL clSetEventCallback(cl_event handle, cl_int state, Event::Callback callback, void *userData) {
  return enter("clSetEventCallback", [&]() -> Status {
    Event *event = KILN_TRY(check::object<Event>(handle));
    if (!callback)
      return fail(CL_INVALID_VALUE, "the callback is null");
    if (state != CL_SUBMITTED && state != CL_RUNNING && state != CL_COMPLETE)
      return fail(CL_INVALID_VALUE, "command_exec_callback_type is ", state,
                  ", must be CL_SUBMITTED, CL_RUNNING or CL_COMPLETE");
    return event->addCallback(state, callback, userData);
  });
}

cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint numWaits, const cl_event *waits,
                                               cl_event *event) {
  return enter("clEnqueueMarkerWithWaitList", [&]() -> Status {
    WaitList wait;
    Queue *q = KILN_TRY(check::live<Queue>(queue));
    KILN_TRY(check::waitList(*q, numWaits, waits, wait));
    return q->enqueue(Marker{.all = wait.empty()}, wait, event);
  });
}

cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint numWaits, const cl_event *waits,
                                                cl_event *event) {
  return enter("clEnqueueBarrierWithWaitList", [&]() -> Status {
    WaitList wait;
    Queue *q = KILN_TRY(check::live<Queue>(queue));
    KILN_TRY(check::waitList(*q, numWaits, waits, wait));
    return q->enqueue(Marker{.all = wait.empty(), .barrier = true}, wait, event);
  });
}

cl_int CL_API_CALL clEnqueueMarker(cl_command_queue queue, cl_event *event) {
  return enter("clEnqueueMarker", [&]() -> Status {
    Queue *q = KILN_TRY(check::live<Queue>(queue));
    if (!event)
      return fail(CL_INVALID_VALUE, "event is null");
    return q->enqueue(Marker{.all = true}, {}, event);
  });
}

cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue queue) {
  return enter("clEnqueueBarrier", [&]() -> Status {
    Queue *q = KILN_TRY(check::live<Queue>(queue));
    return q->enqueue(Marker{.all = true, .barrier = true}, {}, nullptr);
  });
}

cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event *handles) {
  return enter("clEnqueueWaitForEvents", [&]() -> Status {
    Queue *q = KILN_TRY(check::live<Queue>(queue));
    if (!count || !handles)
      return fail(CL_INVALID_VALUE, "num_events is 0 or event_list is null");
    WaitList events;
    for (cl_uint i = 0; i < count; ++i) {
      Event *event = KILN_TRY(check::object<Event>(handles[i]));
      KILN_TRY(check::sameContext(*q, event->context(), "event"));
      events.emplace_back(event);
    }
    // Later commands wait for the events. Earlier commands are not affected.
    return q->enqueue(Marker{.all = false, .barrier = true}, events, nullptr);
  });
}
