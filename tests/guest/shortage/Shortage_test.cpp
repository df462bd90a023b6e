// Memory runs out at every place where Kiln asks for some.
//
// A scenario is a part of a program. It is run over and over; in the n-th run the n-th request for memory fails, alone
// or with all that follow until a call has said so. Then
//   - the call says CL_OUT_OF_HOST_MEMORY, or another of the codes for want of resources that its entry has;
//   - what the application can see of its objects is as it was;
//   - the same call works when there is memory again, and the program goes on to the right results;
//   - at the end nothing is held that was not held after a run without a shortage.
// A command may also fail later, on a thread of Kiln's: then its event says so, and enqueued again it works.
#include "tests/guest/Guest.h"
#include "tests/guest/shortage/FailingMalloc.h"
#include <algorithm>
#include <chrono>
#include <dlfcn.h>
#include <functional>
#include <iostream>
#include <sys/mman.h>
#include <thread>

namespace kiln::test {
namespace {

bool isShortage(cl_int code) {
  return code == CL_OUT_OF_HOST_MEMORY || code == CL_OUT_OF_RESOURCES || code == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

/// One run of a scenario: its calls, each of which may be the one that finds no memory.
class Calls {
public:
  /// Objects whose visible state a failing call must leave alone.
  void watch(cl_context object) { watch(clGetContextInfo, object, {CL_CONTEXT_REFERENCE_COUNT}); }
  void watch(cl_command_queue object) { watch(clGetCommandQueueInfo, object, {CL_QUEUE_REFERENCE_COUNT}); }
  void watch(cl_mem object) { watch(clGetMemObjectInfo, object, {CL_MEM_REFERENCE_COUNT, CL_MEM_MAP_COUNT}); }
  void watch(cl_program object) { watch(clGetProgramInfo, object, {CL_PROGRAM_REFERENCE_COUNT}); }
  void watch(cl_kernel object) { watch(clGetKernelInfo, object, {CL_KERNEL_REFERENCE_COUNT}); }
  void watch(cl_event object) { watch(clGetEventInfo, object, {CL_EVENT_REFERENCE_COUNT}); }

  /// Calls, and calls again where there was no memory. `make` gives the code.
  template <typename Make> void call(const char *name, Make make, cl_int alsoAllowed = CL_SUCCESS) {
    std::vector<cl_uint> before = visible();
    cl_int code = inKiln(make);
    if (code == CL_SUCCESS)
      return;
    EXPECT_TRUE(isShortage(code) || code == alsoAllowed) << name << " gave " << code;
    EXPECT_TRUE(shortage::struck()) << name << " failed with " << code << " though there was memory";
    shortage::over();
    EXPECT_EQ(visible(), before) << name << " failed and left something behind";
    EXPECT_EQ(inKiln(make), CL_SUCCESS) << name << ", once more";
  }
  /// The same for a call that makes an object and gives the code through a pointer.
  template <typename Object, typename Make> void create(const char *name, Object &object, Make make) {
    call(name, [&] {
      cl_int code = 1;
      *object.out() = make(&code);
      EXPECT_EQ(object.get() != nullptr, code == CL_SUCCESS) << name;
      return code;
    });
    watch(object.get());
  }
  /// Enqueues a command and waits for it; again where it failed for want of memory, at once or later.
  template <typename Enqueue> void command(const char *name, Enqueue enqueue) {
    commands(name, [&](std::vector<Event> &events) {
      Event &event = events.emplace_back();
      call(name, [&] { return enqueue(event.out()); });
    });
  }
  /// The same for commands that depend on each other: all of them again where one failed.
  void commands(const char *name, const std::function<void(std::vector<Event> &)> &enqueue) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      std::vector<Event> events;
      size_t watched = watched_.size();
      enqueue(events);
      watched_.resize(watched); // what it made is gone
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
        shortOfMemory |= isShortage(query<cl_int>(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS));
      EXPECT_TRUE(shortOfMemory && shortage::struck()) << name << " failed though there was memory";
      shortage::over();
    }
    ADD_FAILURE() << name << " failed twice";
  }
  /// What cannot fail.
  template <typename Make> void sure(const char *name, Make make) { EXPECT_EQ(inKiln(make), CL_SUCCESS) << name; }

  /// Calls as an application does; what is asked for meanwhile is Kiln's.
  template <typename Make> static auto inKiln(Make make) {
    shortage::OwnCode not_(false);
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

struct Shortage : Guest {
  /// Runs the scenario with a shortage at every place. `environment` is the process's.
  void everywhere(const Scenario &scenario, Environment environment = {}) {
    environment.insert(environment.begin(), {"KILN_LOG", "off"}); // commands fail as they should
    apart([&] { everywhereHere(scenario); }, environment);
  }

  static void everywhereHere(const Scenario &scenario) {
    shortage::OwnCode own;
    ASSERT_NE(platform(), nullptr);
    uint64_t asked = 0;
    for (int warmUp = 0; warmUp < 12; ++warmUp) { // caches fill, and threads have what they need
      shortage::begin(UINT64_MAX, true);
      Calls run;
      scenario(run);
      asked = shortage::asked();
    }
    size_t held = settled(0);
    int struck = 0;
    auto strike = [&](uint64_t nth, bool once) {
      shortage::begin(nth, once);
      {
        Calls run;
        scenario(run);
      }
      shortage::over();
      struck += shortage::struck();
    };
    for (bool once : {true, false})
      for (uint64_t nth = 1; nth <= asked + 8 && !HasFailure(); ++nth) {
        SCOPED_TRACE("request " + std::to_string(nth) + (once ? " failed" : " and those behind it failed"));
        strike(nth, once);
        // What is lost is lost each time. What is only kept for the next one, on a list or by a thread, soon suffices.
        for (int times = 0; times < 8; ++times) {
          size_t now = settled(held);
          if (now <= held)
            break;
          uint64_t before = shortage::sequence();
          held = now;
          strike(nth, once);
          if (times == 7) {
            ADD_FAILURE() << "blocks are held that were not, and more each time";
            shortage::tellHeldSince(before);
          }
        }
      }
    EXPECT_GE(struck, int(asked)) << "the shortage hardly ever came";
    std::cout << "             " << asked << " requests, " << struck << " shortages" << std::endl;
  }

  /// What Kiln holds when its threads have come to rest; as soon as it is no more than expected.
  static size_t settled(size_t expected) {
    size_t now = shortage::held();
    for (int quiet = 0; quiet < 200 && now > expected; ++quiet) {
      std::this_thread::sleep_for(std::chrono::milliseconds(expected ? 1 : 2));
      now = std::min(now, shortage::held());
    }
    return now;
  }
};

/// What every scenario begins with.
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

void moveBytes(Calls &run) {
  Begun app(run);
  std::vector<int> data(256), back(256);
  std::iota(data.begin(), data.end(), 0);
  Mem buffer, other, part;
  run.create("clCreateBuffer", buffer,
             [&](cl_int *code) { return clCreateBuffer(app.context, CL_MEM_COPY_HOST_PTR, 1024, data.data(), code); });
  run.create("clCreateBufferWithProperties", other, [&](cl_int *code) {
    cl_mem_properties none[] = {0};
    return clCreateBufferWithProperties(app.context, none, CL_MEM_ALLOC_HOST_PTR, 1024, nullptr, code);
  });
  cl_buffer_region region = {256, 256};
  run.create("clCreateSubBuffer", part,
             [&](cl_int *code) { return clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, code); });
  static std::atomic<int> destroyed;
  destroyed = 0;
  run.call("clSetMemObjectDestructorCallback",
           [&] { return clSetMemObjectDestructorCallback(part, [](cl_mem, void *) { ++destroyed; }, nullptr); });

  int seven = 7;
  size_t origin[3] = {4, 1, 0}, box[3] = {16, 2, 2};
  run.command("clEnqueueFillBuffer", [&](cl_event *event) {
    return clEnqueueFillBuffer(app.queue, part, &seven, 4, 0, 256, 0, nullptr, event);
  });
  run.command("clEnqueueCopyBuffer", [&](cl_event *event) {
    return clEnqueueCopyBuffer(app.queue, buffer, other, 0, 0, 1024, 0, nullptr, event);
  });
  run.command("clEnqueueCopyBufferRect", [&](cl_event *event) {
    return clEnqueueCopyBufferRect(app.queue, buffer, other, origin, origin, box, 32, 128, 32, 128, 0, nullptr, event);
  });
  run.command("clEnqueueWriteBufferRect", [&](cl_event *event) {
    return clEnqueueWriteBufferRect(app.queue, other, CL_FALSE, origin, origin, box, 32, 128, 32, 128, data.data(), 0,
                                    nullptr, event);
  });
  run.command("clEnqueueMigrateMemObjects", [&](cl_event *event) {
    return clEnqueueMigrateMemObjects(app.queue, 1, other.address(), CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr, event);
  });
  run.call("clEnqueueReadBuffer",
           [&] { return clEnqueueReadBuffer(app.queue, other, CL_TRUE, 0, 1024, back.data(), 0, nullptr, nullptr); });
  std::vector<int> expected = data;
  std::fill_n(expected.begin() + 64, 64, 7);
  EXPECT_EQ(back, expected);

  int *mapped = nullptr;
  run.call("clEnqueueMapBuffer", [&] {
    cl_int code = 1;
    mapped = static_cast<int *>(clEnqueueMapBuffer(app.queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 1024, 0,
                                                   nullptr, nullptr, &code));
    return code;
  });
  ASSERT_NE(mapped, nullptr);
  EXPECT_EQ(std::vector<int>(mapped, mapped + 256), expected);
  run.call("clEnqueueUnmapMemObject",
           [&] { return clEnqueueUnmapMemObject(app.queue, buffer, mapped, 0, nullptr, nullptr); });
  EXPECT_EQ(query<cl_uint>(clGetMemObjectInfo, buffer.get(), CL_MEM_MAP_COUNT), 0u);
  run.call("clFinish", [&] { return clFinish(app.queue); });
  run.sure("clReleaseMemObject", [&] { return part.reset(), CL_SUCCESS; });
  EXPECT_EQ(destroyed, 1);
  run.sure("clReleaseMemObject", [&] { return buffer.reset(), other.reset(), CL_SUCCESS; });
}

TEST_F(Shortage, Buffers) {
  PROVES("R1 R2");
  everywhere(moveBytes);
}

// Maps and unmaps that wait for commands of another queue, which is noted when they are enqueued.
TEST_F(Shortage, MapsThatWait) {
  PROVES("R1 R2");
  everywhere([](Calls &run) {
    Begun app(run);
    Queue second;
    run.create("clCreateCommandQueue", second,
               [&](cl_int *code) { return clCreateCommandQueue(app.context, app.device, 0, code); });
    Mem buffer;
    run.create("clCreateBuffer", buffer,
               [&](cl_int *code) { return clCreateBuffer(app.context, 0, 64, nullptr, code); });
    int seven = 7, *mapped = nullptr;
    Event gate, filled, shown, taken;
    run.create("clCreateUserEvent", gate, [&](cl_int *code) { return clCreateUserEvent(app.context, code); });
    run.call("clEnqueueFillBuffer",
             [&] { return clEnqueueFillBuffer(second, buffer, &seven, 4, 0, 64, 1, gate.address(), filled.out()); });
    run.call("clEnqueueMapBuffer", [&] {
      cl_int code = 1;
      mapped = static_cast<int *>(clEnqueueMapBuffer(app.queue, buffer, CL_FALSE, CL_MAP_WRITE, 0, 64, 1,
                                                     filled.address(), shown.out(), &code));
      return code;
    });
    ASSERT_NE(mapped, nullptr);
    run.call("clSetUserEventStatus", [&] { return clSetUserEventStatus(gate, CL_COMPLETE); });
    run.call("clWaitForEvents", [&] { return clWaitForEvents(1, shown.address()); });
    EXPECT_EQ(mapped[15], 7);
    mapped[3] = 8;
    Event marked;
    run.call("clEnqueueMarkerWithWaitList",
             [&] { return clEnqueueMarkerWithWaitList(second, 1, shown.address(), marked.out()); });
    run.call("clEnqueueUnmapMemObject",
             [&] { return clEnqueueUnmapMemObject(app.queue, buffer, mapped, 1, marked.address(), taken.out()); });
    int found = 0;
    run.call("clEnqueueReadBuffer",
             [&] { return clEnqueueReadBuffer(app.queue, buffer, CL_TRUE, 12, 4, &found, 0, nullptr, nullptr); });
    EXPECT_EQ(found, 8);
  });
}

struct Heard {
  static void CL_CALLBACK note(cl_event, cl_int, void *self) { ++static_cast<Heard *>(self)->calls; }
  std::atomic<int> calls{0};
  /// A callback that was set is called, whatever happens.
  void expect(int count) {
    for (int i = 0; i < 20'000 && calls < count; ++i)
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    EXPECT_EQ(calls, count);
  }
};

void waitForEachOther(Calls &run) {
  Begun app(run, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
  Queue second;
  run.create("clCreateCommandQueue", second,
             [&](cl_int *code) { return clCreateCommandQueue(app.context, app.device, 0, code); });
  Mem buffer;
  run.create("clCreateBuffer", buffer,
             [&](cl_int *code) { return clCreateBuffer(app.context, 0, 1024, nullptr, code); });
  std::vector<int> back(8);
  run.commands("a graph", [&](std::vector<Event> &events) {
    events.reserve(16);
    Event gate;
    run.create("clCreateUserEvent", gate, [&](cl_int *code) { return clCreateUserEvent(app.context, code); });
    Heard heard;
    int asked = 0;
    for (int i = 0; i < 8; ++i) {
      Event &event = events.emplace_back();
      run.call("clEnqueueFillBuffer", [&] {
        return clEnqueueFillBuffer(i % 3 ? app.queue : second, buffer, &i, 4, size_t(4 * i), 4, 1, gate.address(),
                                   event.out());
      });
      if (!event)
        return;
      for (cl_int state : {CL_COMPLETE, CL_RUNNING, CL_SUBMITTED}) {
        run.call("clSetEventCallback", [&] { return clSetEventCallback(event, state, Heard::note, &heard); });
        ++asked;
      }
    }
    // More than the two that an event has room for.
    std::vector<cl_event> all(events.size());
    std::transform(events.begin(), events.end(), all.begin(), std::mem_fn(&Event::get));
    Event &marker = events.emplace_back(), &barrier = events.emplace_back(), &read = events.emplace_back();
    run.call("clEnqueueMarkerWithWaitList",
             [&] { return clEnqueueMarkerWithWaitList(second, cl_uint(all.size()), all.data(), marker.out()); });
    run.call("clEnqueueBarrierWithWaitList",
             [&] { return clEnqueueBarrierWithWaitList(app.queue, 0, nullptr, barrier.out()); });
    run.call("clEnqueueReadBuffer", [&] {
      return clEnqueueReadBuffer(app.queue, buffer, CL_FALSE, 0, 32, back.data(), 1, marker.address(), read.out());
    });
    run.call("clSetUserEventStatus", [&] { return clSetUserEventStatus(gate, CL_COMPLETE); });
    run.call("clFlush", [&] { return clFlush(second); });
    run.call("clFinish", [&] { return clFinish(app.queue); });
    heard.expect(asked);
  });
  EXPECT_EQ(back, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(Shortage, EventsOutOfOrder) {
  PROVES("R1 R14");
  everywhere(waitForEachOther);
}

TEST_F(Shortage, NativeKernelsAndFailures) {
  PROVES("R1");
  everywhere([](Calls &run) {
    Begun app(run);
    Mem buffer;
    run.create("clCreateBuffer", buffer,
               [&](cl_int *code) { return clCreateBuffer(app.context, 0, 64, nullptr, code); });
    struct Arguments {
      int *data;
      int value;
    } arguments{nullptr, 5};
    cl_mem object = buffer;
    const void *place = &arguments.data;
    run.command("clEnqueueNativeKernel", [&](cl_event *event) {
      return clEnqueueNativeKernel(
          app.queue, [](void *a) { static_cast<Arguments *>(a)->data[3] = static_cast<Arguments *>(a)->value; },
          &arguments, sizeof arguments, 1, &object, &place, 0, nullptr, event);
    });
    // What waits for a failed event is dropped, memory or not.
    Event gate, dropped;
    Heard heard;
    run.create("clCreateUserEvent", gate, [&](cl_int *code) { return clCreateUserEvent(app.context, code); });
    run.call("clEnqueueMarkerWithWaitList",
             [&] { return clEnqueueMarkerWithWaitList(app.queue, 1, gate.address(), dropped.out()); });
    run.call("clSetEventCallback", [&] { return clSetEventCallback(dropped, CL_COMPLETE, Heard::note, &heard); });
    run.call("clSetUserEventStatus", [&] { return clSetUserEventStatus(gate, -7); });
    run.call("clFinish", [&] { return clFinish(app.queue); });
    EXPECT_LT(query<cl_int>(clGetEventInfo, dropped.get(), CL_EVENT_COMMAND_EXECUTION_STATUS), 0);
    heard.expect(1);
    int value = 0;
    run.call("clEnqueueReadBuffer",
             [&] { return clEnqueueReadBuffer(app.queue, buffer, CL_TRUE, 12, 4, &value, 0, nullptr, nullptr); });
    EXPECT_EQ(value, 5);
  });
}

const char *const Source = R"(
kernel void scale(global int *data, int factor) { data[get_global_id(0)] *= factor; }
kernel void reverse(global int *data, local int *space) {
  size_t i = get_local_id(0), n = get_local_size(0);
  space[i] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = space[n - 1 - i];
}
)";

/// From source, or rather the cache, to results.
void buildAndLaunch(Calls &run, bool inBackground, cl_platform_id kiln = platform()) {
  Begun app(run, 0, kiln);
  Program program;
  run.create("clCreateProgramWithSource", program, [&](cl_int *code) {
    const char *text = Source;
    return clCreateProgramWithSource(app.context, 1, &text, nullptr, code);
  });
  struct Built {
    static void CL_CALLBACK note(cl_program, void *self) { ++static_cast<Built *>(self)->calls; }
    std::atomic<int> calls{0};
  } built;
  auto status = [&] {
    return query<cl_build_status>(clGetProgramBuildInfo, program.get(), app.device, CL_PROGRAM_BUILD_STATUS);
  };
  if (inBackground)
    for (int attempt = 0; attempt < 2 && status() != CL_BUILD_SUCCESS; ++attempt) {
      built.calls = 0;
      run.call("clBuildProgram", [&] { return clBuildProgram(program, 0, nullptr, nullptr, Built::note, &built); });
      for (int i = 0; i < 20'000 && !built.calls; ++i)
        std::this_thread::sleep_for(std::chrono::microseconds(500));
      ASSERT_EQ(built.calls, 1);
      if (status() != CL_BUILD_SUCCESS) {
        EXPECT_EQ(status(), CL_BUILD_ERROR);
        EXPECT_TRUE(shortage::struck());
        shortage::over();
      }
    }
  else
    run.call("clBuildProgram", [&] { return clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr); });
  ASSERT_EQ(status(), CL_BUILD_SUCCESS);

  Kernel scale, reverse;
  run.create("clCreateKernel", scale, [&](cl_int *code) { return clCreateKernel(program, "scale", code); });
  run.create("clCreateKernel", reverse, [&](cl_int *code) { return clCreateKernel(program, "reverse", code); });
  std::vector<int> data(64);
  std::iota(data.begin(), data.end(), 0);
  Mem buffer;
  run.create("clCreateBuffer", buffer,
             [&](cl_int *code) { return clCreateBuffer(app.context, CL_MEM_COPY_HOST_PTR, 256, data.data(), code); });
  cl_int three = 3, two = 2;
  size_t items = 64, group = 16;
  run.call("clSetKernelArg", [&] { return clSetKernelArg(scale, 0, sizeof(cl_mem), buffer.address()); });
  run.call("clSetKernelArg", [&] { return clSetKernelArg(scale, 1, sizeof three, &three); });
  run.call("clSetKernelArg", [&] { return clSetKernelArg(reverse, 0, sizeof(cl_mem), buffer.address()); });
  run.call("clSetKernelArg", [&] { return clSetKernelArg(reverse, 1, 64, nullptr); });
  run.command("clEnqueueNDRangeKernel", [&](cl_event *event) {
    return clEnqueueNDRangeKernel(app.queue, reverse, 1, nullptr, &items, &group, 0, nullptr, event);
  });
  Event gate, scaled;
  run.create("clCreateUserEvent", gate, [&](cl_int *code) { return clCreateUserEvent(app.context, code); });
  run.call("clEnqueueNDRangeKernel", [&] {
    return clEnqueueNDRangeKernel(app.queue, scale, 1, nullptr, &items, nullptr, 1, gate.address(), scaled.out());
  });
  // The launch above has its arguments; this is for another one.
  run.call("clSetKernelArg", [&] { return clSetKernelArg(scale, 1, sizeof two, &two); });
  run.call("clSetUserEventStatus", [&] { return clSetUserEventStatus(gate, CL_COMPLETE); });
  run.call("clFinish", [&] { return clFinish(app.queue); });
  int factor = 3;
  if (cl_int code = query<cl_int>(clGetEventInfo, scaled.get(), CL_EVENT_COMMAND_EXECUTION_STATUS); code < 0) {
    EXPECT_TRUE(isShortage(code) && shortage::struck()) << code;
    shortage::over();
    factor = 1;
  }
  run.command("clEnqueueNDRangeKernel", [&](cl_event *event) {
    return clEnqueueNDRangeKernel(app.queue, scale, 1, nullptr, &items, &group, 0, nullptr, event);
  });
  Kernel clone;
  run.create("clCloneKernel", clone, [&](cl_int *code) { return clCloneKernel(scale, code); });
  run.command("clEnqueueTask", [&](cl_event *event) { return clEnqueueTask(app.queue, clone, 0, nullptr, event); });
  std::vector<int> back(64), expected(64);
  run.call("clEnqueueReadBuffer",
           [&] { return clEnqueueReadBuffer(app.queue, buffer, CL_TRUE, 0, 256, back.data(), 0, nullptr, nullptr); });
  for (int i = 0; i < 64; ++i)
    expected[i] = data[i / 16 * 16 + 15 - i % 16] * factor * 2 * (i ? 1 : 2);
  EXPECT_EQ(back, expected);
}

TEST_F(Shortage, ProgramFromTheCache) {
  PROVES("R1");
  everywhere([](Calls &run) { buildAndLaunch(run, false); });
}

TEST_F(Shortage, ProgramBuiltInTheBackground) {
  PROVES("R1 R14");
  everywhere([](Calls &run) { buildAndLaunch(run, true); });
}

/// Memory that is named by pointers: a call that fails leaves it where it was, and what is freed is freed once.
void sharedMemory(Calls &run) {
  Begun app(run);
  Program program;
  Kernel scale;
  run.create("clCreateProgramWithSource", program, [&](cl_int *code) {
    const char *text = Source;
    return clCreateProgramWithSource(app.context, 1, &text, nullptr, code);
  });
  run.call("clBuildProgram", [&] { return clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr); });
  run.create("clCreateKernel", scale, [&](cl_int *code) { return clCreateKernel(program, "scale", code); });
  auto allocate = [&] {
    void *memory = nullptr;
    run.call("clSVMAlloc", [&] {
      memory = clSVMAlloc(app.context, 0, 256, 0);
      return memory ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY; // it has no other way to say so
    });
    return static_cast<int *>(memory);
  };
  int *memory = allocate(), *other = allocate(), *third = allocate();
  ASSERT_TRUE(memory && other && third);
  const int four = 4, three = 3;
  run.command("clEnqueueSVMMemFill", [&](cl_event *event) {
    return clEnqueueSVMMemFill(app.queue, memory, &four, 4, 256, 0, nullptr, event);
  });
  run.command("clEnqueueSVMMemcpy", [&](cl_event *event) {
    return clEnqueueSVMMemcpy(app.queue, CL_FALSE, other, memory, 256, 0, nullptr, event);
  });
  const void *list[] = {memory, third};
  run.command("clEnqueueSVMMigrateMem", [&](cl_event *event) {
    return clEnqueueSVMMigrateMem(app.queue, 2, list, nullptr, 0, 0, nullptr, event);
  });
  run.call("clSetKernelArgSVMPointer", [&] { return clSetKernelArgSVMPointer(scale, 0, other); });
  run.call("clSetKernelArg", [&] { return clSetKernelArg(scale, 1, sizeof three, &three); });
  cl_bool yes = CL_TRUE;
  run.call("clSetKernelExecInfo",
           [&] { return clSetKernelExecInfo(scale, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof list, list); });
  run.call("clSetKernelExecInfo", [&] {
    return clSetKernelExecInfo(scale, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof yes, &yes);
  });
  size_t items = 64;
  run.command("clEnqueueNDRangeKernel", [&](cl_event *event) {
    return clEnqueueNDRangeKernel(app.queue, scale, 1, nullptr, &items, nullptr, 0, nullptr, event);
  });
  run.call("clEnqueueSVMMap",
           [&] { return clEnqueueSVMMap(app.queue, CL_TRUE, CL_MAP_READ, other, 256, 0, nullptr, nullptr); });
  EXPECT_EQ(other[63], 12);
  run.command("clEnqueueSVMUnmap",
              [&](cl_event *event) { return clEnqueueSVMUnmap(app.queue, other, 0, nullptr, event); });
  Mem over;
  run.create("clCreateBufferWithProperties", over, [&](cl_int *code) {
    const cl_mem_properties fixed[] = {0x5000 /* CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT */, CL_TRUE, 0};
    return clCreateBufferWithProperties(app.context, fixed, CL_MEM_USE_HOST_PTR, 256, other, code);
  });
  void *freed[] = {memory}, *handed[] = {third};
  run.command("clEnqueueSVMFree", [&](cl_event *event) {
    return clEnqueueSVMFree(app.queue, 1, freed, nullptr, nullptr, 0, nullptr, event);
  });
  struct Handed {
    cl_context context;
    std::atomic<int> calls{0};
    static void CL_CALLBACK free(cl_command_queue, cl_uint, void *pointers[], void *self) {
      clSVMFree(static_cast<Handed *>(self)->context, pointers[0]);
      ++static_cast<Handed *>(self)->calls;
    }
  } handedOver{app.context.get()};
  run.command("clEnqueueSVMFree", [&](cl_event *event) {
    return clEnqueueSVMFree(app.queue, 1, handed, Handed::free, &handedOver, 0, nullptr, event);
  });
  for (int i = 0; i < 20'000 && !handedOver.calls; ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  EXPECT_EQ(handedOver.calls, 1);
  run.sure("clReleaseMemObject", [&] { return over.reset(), CL_SUCCESS; });
  run.sure("clSVMFree", [&] { return clSVMFree(app.context, other), CL_SUCCESS; });
}

TEST_F(Shortage, SharedMemory) {
  PROVES("R1 API-5.6.1a API-5.6.1d");
  everywhere(sharedMemory);
}

// What is written down about all this must not fail anybody either.
TEST_F(Shortage, TracedAndLogged) {
  PROVES("R1");
  everywhere(
      [](Calls &run) {
        static FILE *const nowhere = freopen("/dev/null", "w", stderr);
        ASSERT_NE(nowhere, nullptr);
        buildAndLaunch(run, false);
      },
      {{"KILN_LOG", "debug"}, {"KILN_TRACE", folder + "/trace.json"}});
}

TEST_F(Shortage, CompiledAndLinked) {
  PROVES("R1");
  everywhere([](Calls &run) {
    Begun app(run);
    const char *first = "int three(void); kernel void k(global int *p) { *p = three(); }",
               *second = "int three(void) { return 3; }";
    Program parts[2], linked;
    for (int i = 0; i < 2; ++i) {
      run.create("clCreateProgramWithSource", parts[i], [&](cl_int *code) {
        return clCreateProgramWithSource(app.context, 1, i ? &second : &first, nullptr, code);
      });
      run.call("clCompileProgram",
               [&] { return clCompileProgram(parts[i], 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr); });
    }
    run.call("clLinkProgram", [&] {
      cl_int code = 1;
      cl_program both[] = {parts[0], parts[1]};
      *linked.out() = clLinkProgram(app.context, 0, nullptr, nullptr, 2, both, nullptr, nullptr, &code);
      return code;
    });
    Kernel kernel;
    run.create("clCreateKernel", kernel, [&](cl_int *code) { return clCreateKernel(linked, "k", code); });
    Mem buffer;
    run.create("clCreateBuffer", buffer,
               [&](cl_int *code) { return clCreateBuffer(app.context, 0, 4, nullptr, code); });
    run.call("clSetKernelArg", [&] { return clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.address()); });
    run.command("clEnqueueTask", [&](cl_event *event) { return clEnqueueTask(app.queue, kernel, 0, nullptr, event); });
    int found = 0;
    run.call("clEnqueueReadBuffer",
             [&] { return clEnqueueReadBuffer(app.queue, buffer, CL_TRUE, 0, 4, &found, 0, nullptr, nullptr); });
    EXPECT_EQ(found, 3);
  });
}

// A process that has not met Kiln: what is set up once is set up by the next call where the first found no memory. Not
// through the ICD loader, which looks for platforms once in a process and takes what it finds then.
TEST_F(Shortage, FirstUse) {
  PROVES("R1 API-4.1a");
  struct Figures {
    uint64_t asked, struck;
  };
  auto *figures =
      static_cast<Figures *>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  auto use = [&](uint64_t nth, bool once) {
    apart(
        [&] {
          shortage::OwnCode own;
          SCOPED_TRACE("request " + std::to_string(nth) + (once ? " failed" : " and those behind it failed"));
          void *library = dlopen(KILN_LIBRARY, RTLD_NOW);
          ASSERT_NE(library, nullptr) << dlerror();
          auto getPlatforms = reinterpret_cast<decltype(&clGetPlatformIDs)>(dlsym(library, "clIcdGetPlatformIDsKHR"));
          shortage::begin(nth, once);
          Calls run;
          cl_platform_id kiln = nullptr;
          run.call("clIcdGetPlatformIDsKHR", [&] { return getPlatforms(1, &kiln, nullptr); });
          buildAndLaunch(run, false, kiln);
          shortage::over();
          figures->asked = shortage::asked();
          figures->struck += shortage::struck();
        },
        {{"KILN_LOG", "off"}});
  };
  use(UINT64_MAX, true); // which fills the cache
  use(UINT64_MAX, true);
  uint64_t all = figures->asked;
  for (bool once : {true, false})
    for (uint64_t nth = 1; nth <= all + 8 && !HasFailure(); ++nth)
      use(nth, once);
  EXPECT_GE(figures->struck, all) << "the shortage hardly ever came";
  std::cout << "             " << all << " requests, " << figures->struck << " shortages" << std::endl;
  munmap(figures, 4096);
}

TEST_F(Shortage, Queries) {
  PROVES("R1 R3");
  everywhere([](Calls &run) {
    Begun app(run);
    Program program, again;
    run.create("clCreateProgramWithSource", program, [&](cl_int *code) {
      const char *text = Source;
      return clCreateProgramWithSource(app.context, 1, &text, nullptr, code);
    });
    run.call("clBuildProgram",
             [&] { return clBuildProgram(program, 0, nullptr, "-cl-kernel-arg-info", nullptr, nullptr); });
    cl_platform_id kiln = platform();
    char text[8192];
    for (cl_uint param : {CL_PLATFORM_EXTENSIONS, CL_PLATFORM_VERSION, CL_PLATFORM_EXTENSIONS_WITH_VERSION})
      run.call("clGetPlatformInfo", [&] { return clGetPlatformInfo(kiln, param, sizeof text, text, nullptr); });
    for (cl_uint param : {CL_DEVICE_EXTENSIONS, CL_DEVICE_VERSION, CL_DEVICE_IL_VERSION, CL_DEVICE_OPENCL_C_FEATURES})
      run.call("clGetDeviceInfo", [&] { return clGetDeviceInfo(app.device, param, sizeof text, text, nullptr); });
    run.call("clGetContextInfo",
             [&] { return clGetContextInfo(app.context, CL_CONTEXT_DEVICES, sizeof text, text, nullptr); });
    for (cl_uint param : {CL_PROGRAM_KERNEL_NAMES, CL_PROGRAM_SOURCE})
      run.call("clGetProgramInfo", [&] { return clGetProgramInfo(program, param, sizeof text, text, nullptr); });
    run.call("clGetProgramBuildInfo", [&] {
      return clGetProgramBuildInfo(program, app.device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, nullptr);
    });
    size_t size = 0;
    run.call("clGetProgramInfo",
             [&] { return clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr); });
    std::vector<unsigned char> binary(size);
    unsigned char *target = binary.data();
    run.call("clGetProgramInfo",
             [&] { return clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof target, &target, nullptr); });
    run.create("clCreateProgramWithBinary", again, [&](cl_int *code) {
      const unsigned char *bytes = binary.data();
      return clCreateProgramWithBinary(app.context, 1, &app.device, &size, &bytes, nullptr, code);
    });
    run.call("clBuildProgram", [&] { return clBuildProgram(again, 0, nullptr, nullptr, nullptr, nullptr); });
    cl_kernel kernels[2] = {};
    run.call("clCreateKernelsInProgram", [&] { return clCreateKernelsInProgram(again, 2, kernels, nullptr); });
    run.call("clGetKernelArgInfo",
             [&] { return clGetKernelArgInfo(kernels[0], 0, CL_KERNEL_ARG_NAME, sizeof text, text, nullptr); });
    for (cl_kernel kernel : kernels)
      run.sure("clReleaseKernel", [&] { return clReleaseKernel(kernel); });
  });
}

// Every kind of transfer between devices with memory of their own; the runtime decides about those on its own threads.
TEST_F(Shortage, SeveralDevices) {
  PROVES("R1 R9");
  everywhere(
      [](Calls &run) {
        std::vector<cl_device_id> devices(3);
        ASSERT_EQ(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_CPU, 3, devices.data(), nullptr), CL_SUCCESS);
        Context context;
        run.create("clCreateContext", context,
                   [&](cl_int *code) { return clCreateContext(nullptr, 3, devices.data(), nullptr, nullptr, code); });
        std::vector<Queue> queues(3);
        for (int i = 0; i < 3; ++i)
          run.create("clCreateCommandQueue", queues[i],
                     [&](cl_int *code) { return clCreateCommandQueue(context, devices[i], 0, code); });
        std::vector<int> back;
        run.commands("a ring of copies", [&](std::vector<Event> &events) {
          events.reserve(16);
          std::vector<Mem> buffers(2);
          for (Mem &buffer : buffers)
            run.create("clCreateBuffer", buffer,
                       [&](cl_int *code) { return clCreateBuffer(context, 0, 4096, nullptr, code); });
          back.assign(1024, 0);
          int value = 9;
          auto after = [&](auto enqueue) {
            const cl_event *wait = events.empty() ? nullptr : events.back().address();
            Event &event = events.emplace_back();
            run.call("an enqueue", [&] { return enqueue(wait ? 1 : 0, wait, event.out()); });
          };
          after([&](auto n, auto wait, auto event) {
            return clEnqueueFillBuffer(queues[0], buffers[0], &value, 4, 0, 4096, n, wait, event);
          });
          for (int i = 1; i < 6; ++i)
            after([&](auto n, auto wait, auto event) {
              return clEnqueueCopyBuffer(queues[i % 3], buffers[(i + 1) % 2], buffers[i % 2], 512, 512, 2048, n, wait,
                                         event);
            });
          after([&](auto n, auto wait, auto event) {
            return clEnqueueReadBuffer(queues[1], buffers[1], CL_FALSE, 0, 4096, back.data(), n, wait, event);
          });
          for (const Queue &queue : queues)
            run.call("clFlush", [&] { return clFlush(queue); });
          for (const Queue &queue : queues)
            run.call("clFinish", [&] { return clFinish(queue); });
        });
        for (int i = 128; i < 640; ++i)
          ASSERT_EQ(back[i], 9) << i;
      },
      {{"KILN_CPU_DEVICES", "3"}});
}

// What a GPU's driver is behind: streams that are ordered by fences, staging, and a thread that watches. On a library
// that stands in for the vendor's and runs no kernels.
struct ShortageOnGpu : Shortage {
  const Environment fake = {{"KILN_DEVICES", "cuda"}, {"KILN_CUDA_LIBRARY", KILN_FAKE_CUDA}};
};
TEST_F(ShortageOnGpu, Buffers) {
  PROVES("R1 R2");
  everywhere(moveBytes, fake);
}
TEST_F(ShortageOnGpu, EventsOutOfOrder) {
  PROVES("R1 R14");
  everywhere(waitForEachOther, fake);
}

} // namespace
} // namespace kiln::test
