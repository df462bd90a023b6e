// Fails every allocation of Kiln in turn.
//
// A scenario is a part of a program. It runs repeatedly; in the n-th run the n-th allocation fails, alone or with all
// later ones until a call has failed. Then
//   - the call returns CL_OUT_OF_HOST_MEMORY, or another resource error of its entry;
//   - the visible state of objects is unchanged;
//   - the same call succeeds when there is memory again, and the results are correct;
//   - at the end Kiln holds no more blocks than after a run without failures.
// A command may also fail later, on a thread of Kiln: then its event has the error, and enqueued again it succeeds.
#pragma once
#include "tests/process/ProcessTest.h"
#include "tests/process/out_of_memory/FailingMalloc.h"
#include <chrono>
#include <functional>
#include <thread>

namespace kiln::test {

/// Returns true for an error code of missing resources.
inline bool isOutOfMemory(cl_int code) {
  return code == CL_OUT_OF_HOST_MEMORY || code == CL_OUT_OF_RESOURCES || code == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

/// One run of a scenario: its calls, each of which may fail.
class Calls {
public:
  /// Objects whose visible state a failed call must not change.
  void watch(cl_context object) { watch(clGetContextInfo, object, {CL_CONTEXT_REFERENCE_COUNT}); }
  void watch(cl_command_queue object) { watch(clGetCommandQueueInfo, object, {CL_QUEUE_REFERENCE_COUNT}); }
  void watch(cl_mem object) { watch(clGetMemObjectInfo, object, {CL_MEM_REFERENCE_COUNT, CL_MEM_MAP_COUNT}); }
  void watch(cl_program object) { watch(clGetProgramInfo, object, {CL_PROGRAM_REFERENCE_COUNT}); }
  void watch(cl_kernel object) { watch(clGetKernelInfo, object, {CL_KERNEL_REFERENCE_COUNT}); }
  void watch(cl_event object) { watch(clGetEventInfo, object, {CL_EVENT_REFERENCE_COUNT}); }

  /// Calls `make`, and again after a failure. `make` returns the code.
  template <typename Make> void call(const char *name, Make make, cl_int alsoAllowed = CL_SUCCESS) {
    std::vector<cl_uint> before = visible();
    cl_int code = inKiln(make);
    if (code == CL_SUCCESS)
      return;
    EXPECT_TRUE(isOutOfMemory(code) || code == alsoAllowed) << name << " gave " << code;
    EXPECT_TRUE(failing_malloc::struck()) << name << " failed with " << code << " though there was memory";
    failing_malloc::over();
    EXPECT_EQ(visible(), before) << name << " failed and left something behind";
    EXPECT_EQ(inKiln(make), CL_SUCCESS) << name << ", once more";
  }
  /// The same for a call that returns an object, and the code through a pointer.
  template <typename Object, typename Make> void create(const char *name, Object &object, Make make) {
    call(name, [&] {
      cl_int code = 1;
      *object.out() = make(&code);
      EXPECT_EQ(object.get() != nullptr, code == CL_SUCCESS) << name;
      return code;
    });
    watch(object.get());
  }
  /// Enqueues a command and waits for it; repeats it if it failed for lack of memory, at once or later.
  template <typename Enqueue> void command(const char *name, Enqueue enqueue) {
    commands(name, [&](std::vector<Event> &events) {
      Event &event = events.emplace_back();
      call(name, [&] { return enqueue(event.out()); });
    });
  }
  /// The same for commands that depend on each other: repeats all if one failed.
  void commands(const char *name, const std::function<void(std::vector<Event> &)> &enqueue) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      std::vector<Event> events;
      size_t watched = watched_.size();
      enqueue(events);
      watched_.resize(watched); // its objects are released
      std::vector<cl_event> handles;
      for (const Event &event : events)
        handles.push_back(event);
      cl_int code = CL_SUCCESS;
      call("clWaitForEvents", [&] {
        code = clWaitForEvents(cl_uint(handles.size()), handles.data());
        return code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ? CL_SUCCESS : code;
      });
      if (code == CL_SUCCESS)
        return;
      bool shortOfMemory = false;
      for (cl_event event : handles)
        shortOfMemory |= isOutOfMemory(query<cl_int>(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS));
      EXPECT_TRUE(shortOfMemory && failing_malloc::struck()) << name << " failed though there was memory";
      failing_malloc::over();
    }
    ADD_FAILURE() << name << " failed twice";
  }
  /// Calls that cannot fail.
  template <typename Make> void sure(const char *name, Make make) { EXPECT_EQ(inKiln(make), CL_SUCCESS) << name; }

  /// Runs application code; allocations in calls of Kiln are Kiln's.
  template <typename Make> static auto inKiln(Make make) {
    failing_malloc::OwnCode isKilns(false);
    return make();
  }

private:
  template <typename Call, typename Object>
  void watch(Call call, Object object, std::initializer_list<cl_uint> params) {
    for (cl_uint param : params)
      watched_.push_back([=] {
        cl_uint value = ~0u;
        call(object, param, sizeof value, &value, nullptr);
        return value;
      });
  }
  std::vector<cl_uint> visible() const {
    std::vector<cl_uint> values;
    for (const auto &value : watched_)
      values.push_back(value());
    return values;
  }
  std::vector<std::function<cl_uint()>> watched_;
};

using Scenario = std::function<void(Calls &)>;

struct OutOfMemory : ProcessTest {
  /// Runs the scenario once for each allocation. `environment` is the process's.
  void everywhere(const Scenario &scenario, Environment environment = {});
};

/// The objects that every scenario starts with.
struct Begun {
  explicit Begun(Calls &run, cl_command_queue_properties properties = 0, cl_platform_id kiln = platform()) {
    run.call("clGetDeviceIDs", [&] { return clGetDeviceIDs(kiln, CL_DEVICE_TYPE_ALL, 1, &device, nullptr); });
    run.create("clCreateContext", context,
               [&](cl_int *code) { return clCreateContext(nullptr, 1, &device, nullptr, nullptr, code); });
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    run.create("clCreateCommandQueueWithProperties", queue,
               [&](cl_int *code) { return clCreateCommandQueueWithProperties(context, device, list, code); });
  }
  cl_device_id device = nullptr;
  Context context;
  Queue queue;
};

} // namespace kiln::test
