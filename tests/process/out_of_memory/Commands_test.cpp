// Out of memory in commands: transfers, wait lists, pointers.
#include "tests/process/out_of_memory/OutOfMemory.h"
#include <algorithm>

namespace kiln::test {
namespace {

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

TEST_F(OutOfMemory, Buffers) {
  PROVES("R1 R2");
  everywhere(moveBytes);
}

// Maps and unmaps that wait for commands of another queue, which the enqueue records.
TEST_F(OutOfMemory, MapsThatWait) {
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
  /// A registered callback is called in every case.
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
        return clEnqueueFillBuffer(i % 3 ? app.queue : second, buffer, &i, 4, size_t(4) * i, 4, 1, gate.address(),
                                   event.out());
      });
      if (!event)
        return;
      for (cl_int state : {CL_COMPLETE, CL_RUNNING, CL_SUBMITTED}) {
        run.call("clSetEventCallback", [&] { return clSetEventCallback(event, state, Heard::note, &heard); });
        ++asked;
      }
    }
    // More dependents than the two that an event stores inline.
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

TEST_F(OutOfMemory, EventsOutOfOrder) {
  PROVES("R1 R14");
  everywhere(waitForEachOther);
}

TEST_F(OutOfMemory, NativeKernelsAndFailures) {
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
    // Dependents of a failed event are skipped, with or without memory.
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

/// SVM and USM: a failed call leaves an allocation unchanged, and a freed one is freed once.
void sharedMemory(Calls &run) {
  Begun app(run);
  Program program;
  Kernel scale;
  run.create("clCreateProgramWithSource", program, [&](cl_int *code) {
    const char *text = "kernel void scale(global int *data, int factor) { data[get_global_id(0)] *= factor; }";
    return clCreateProgramWithSource(app.context, 1, &text, nullptr, code);
  });
  run.call("clBuildProgram", [&] { return clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr); });
  run.create("clCreateKernel", scale, [&](cl_int *code) { return clCreateKernel(program, "scale", code); });
  auto allocate = [&] {
    void *memory = nullptr;
    run.call("clSVMAlloc", [&] {
      memory = clSVMAlloc(app.context, 0, 256, 0);
      return memory ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY; // clSVMAlloc has no error code
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

TEST_F(OutOfMemory, SharedMemory) {
  PROVES("R1 API-5.6.1a API-5.6.1d");
  everywhere(sharedMemory);
}

// Every kind of transfer between devices with separate memory. The runtime plans them on its own threads.
TEST_F(OutOfMemory, SeveralDevices) {
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

// The parts behind a GPU's driver: streams with fences, the staging ring and the poller, on a library that replaces the
// vendor's and runs no kernels.
struct OutOfMemoryOnGpu : OutOfMemory {
  const Environment fake = {{"KILN_DEVICES", "cuda"}, {"KILN_CUDA_LIBRARY", KILN_FAKE_CUDA}};
};
TEST_F(OutOfMemoryOnGpu, Buffers) {
  PROVES("R1 R2");
  everywhere(moveBytes, fake);
}
TEST_F(OutOfMemoryOnGpu, EventsOutOfOrder) {
  PROVES("R1 R14");
  everywhere(waitForEachOther, fake);
}

} // namespace
} // namespace kiln::test
