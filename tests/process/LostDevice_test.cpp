// A GPU is lost while programs use it: no call hangs, its commands fail, other devices go on, and the process ends as
// usual. The GPU is the fake driver's, which runs no kernels.
#include "tests/backends/gpu/FakeDriver.h"
#include "tests/process/ProcessTest.h"
#include <algorithm>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <mutex>
#include <sstream>
#include <unistd.h>

namespace kiln::test {
namespace {

constexpr size_t Items = 25'000, Bytes = Items * sizeof(int);
constexpr unsigned MaxSeconds = 60; // a situation takes less than one second

fake::Control &driver() {
  static auto *found = [] {
    void *library = dlopen(KILN_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL); // the one that libkiln has loaded
    auto *find = reinterpret_cast<fake::Control *(*)()>(dlsym(library, "kiln_fake_driver"));
    return find();
  }();
  return *found;
}

/// The messages of a context's callback.
struct Messages {
  static void CL_CALLBACK add(const char *text, const void *, size_t, void *self) {
    auto *messages = static_cast<Messages *>(self);
    std::lock_guard lock(messages->mutex);
    messages->all.push_back(text);
  }
  std::mutex mutex;
  std::vector<std::string> all;
};

/// A context of the CPU and two GPUs, of which the first will be lost.
struct Machine {
  Machine() {
    cl_uint count = 0;
    EXPECT_EQ(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 3, devices, &count), CL_SUCCESS);
    EXPECT_EQ(count, 3u);
    std::rotate(devices, devices + 1, devices + 3); // the GPUs first
    cl_int code = 1;
    context = clCreateContext(nullptr, 3, devices, Messages::add, &messages, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    const std::string text = sourceOf(5);
    const char *pointer = text.c_str();
    program = clCreateProgramWithSource(context, 1, &pointer, nullptr, &code);
    EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
    kernel = clCreateKernel(program, "k", &code);
    EXPECT_EQ(code, CL_SUCCESS);
    const cl_queue_properties timedOutOfOrder[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0};
    inOrder = clCreateCommandQueueWithProperties(context, devices[0], nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    outOfOrder = clCreateCommandQueueWithProperties(context, devices[0], timedOutOfOrder, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    otherGpu = clCreateCommandQueueWithProperties(context, devices[1], nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    cpu = clCreateCommandQueueWithProperties(context, devices[2], nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    for (Mem *each : {&first, &second, &untouched})
      *each = buffer();
  }

  Mem buffer() {
    cl_int code = 1;
    Mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, Bytes, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return made;
  }
  cl_int launch(cl_command_queue queue, cl_mem on, cl_uint waits, const cl_event *wait, cl_event *event) {
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), &on), CL_SUCCESS);
    return clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &Items, nullptr, waits, wait, event);
  }

  /// Commands of every kind on the first GPU, each of which waits for the one before it. The events of those that were
  /// enqueued are appended.
  void enqueueAll(cl_command_queue queue, std::vector<Event> &events, const Mem &fresh) {
    auto add = [&](auto enqueue) {
      const cl_event before = events.empty() ? nullptr : events.back().get();
      Event event;
      const cl_int code = enqueue(before ? 1 : 0, before ? &before : nullptr, event.out());
      EXPECT_EQ(event.get() != nullptr, code == CL_SUCCESS);
      if (code == CL_SUCCESS)
        events.push_back(std::move(event));
      else
        EXPECT_TRUE(code == CL_OUT_OF_RESOURCES || code == CL_MEM_OBJECT_ALLOCATION_FAILURE) << code;
    };
    add([&](cl_uint n, const cl_event *wait, cl_event *event) {
      return clEnqueueWriteBuffer(queue, first, CL_FALSE, 0, Bytes, data.data(), n, wait, event);
    });
    add([&](cl_uint n, const cl_event *wait, cl_event *event) { return launch(queue, first, n, wait, event); });
    add([&](cl_uint n, const cl_event *wait, cl_event *event) {
      return clEnqueueCopyBuffer(queue, first, second, 0, 0, Bytes, n, wait, event);
    });
    add([&](cl_uint n, const cl_event *wait, cl_event *event) { // allocates
      const int zero = 0;
      return clEnqueueFillBuffer(queue, fresh, &zero, sizeof zero, 0, Bytes, n, wait, event);
    });
    add([&](cl_uint n, const cl_event *wait, cl_event *event) {
      return clEnqueueReadBuffer(queue, second, CL_FALSE, 0, Bytes, back.data(), n, wait, event);
    });
    add([&](cl_uint n, const cl_event *wait, cl_event *event) {
      return clEnqueueMarkerWithWaitList(queue, n, wait, event);
    });
  }
  /// Waits in each way. Returns the number of commands that have not failed.
  size_t wait(const std::vector<Event> &events) {
    clFinish(inOrder);
    clFinish(outOfOrder);
    std::vector<cl_event> handles(events.begin(), events.end());
    size_t succeeded = 0;
    for (cl_event event : handles) {
      const auto status = query<cl_int>(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS);
      EXPECT_LE(status, CL_COMPLETE);
      succeeded += status == CL_COMPLETE;
    }
    if (!handles.empty())
      EXPECT_EQ(clWaitForEvents(cl_uint(handles.size()), handles.data()),
                succeeded == handles.size() ? CL_SUCCESS : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    return succeeded;
  }

  Messages messages;
  cl_device_id devices[3]{}; // two GPUs, the CPU
  Context context;
  Program program;
  Kernel kernel;
  Queue inOrder, outOfOrder, otherGpu, cpu;
  Mem first, second, untouched;
  std::vector<int> data = resultsOf(1, Items), back = data;
};

struct LostDevice : ProcessTest {
  /// Runs `situation` with the fake GPUs. Returns what Kiln logs.
  std::string onFakeGpus(const std::function<void()> &situation) {
    const std::string log = folder + "/log";
    inNewProcess(
        [&] {
          alarm(MaxSeconds);
          const int file = open(log.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
          ASSERT_GE(dup2(file, STDERR_FILENO), 0);
          situation();
        },
        {{"KILN_DEVICES", "cpu,cuda"}, {"KILN_CUDA_LIBRARY", KILN_FAKE_CUDA}});
    std::stringstream text;
    text << std::ifstream(log).rdbuf();
    return text.str();
  }
};

/// After the loss: every command of the first GPU fails, and the other devices go on.
void checkLost(Machine &machine) {
  std::vector<Event> later;
  Mem fresh = machine.buffer();
  machine.enqueueAll(machine.inOrder, later, fresh);
  machine.enqueueAll(machine.outOfOrder, later, fresh);
  EXPECT_EQ(machine.wait(later), 0u) << "a command on the lost device has succeeded";
  EXPECT_FALSE(query<cl_bool>(clGetDeviceInfo, machine.devices[0], CL_DEVICE_AVAILABLE));
  cl_int code = 1;
  EXPECT_EQ(Context(clCreateContext(nullptr, 1, machine.devices, nullptr, nullptr, &code)).get(), nullptr);
  EXPECT_EQ(code, CL_DEVICE_NOT_AVAILABLE);

  {
    std::lock_guard lock(machine.messages.mutex);
    ASSERT_FALSE(machine.messages.all.empty());
    for (const std::string &message : machine.messages.all)
      EXPECT_NE(message.find(": device 1, Fake GPU 0, is lost"), std::string::npos) << message;
  }

  // The bytes of `first` were on the lost device only, so no other device has them.
  std::vector<int> result(Items, -1);
  EXPECT_LT(clEnqueueReadBuffer(machine.cpu, machine.first, CL_TRUE, 0, Bytes, result.data(), 0, nullptr, nullptr), 0);
  for (cl_command_queue queue : {machine.otherGpu.get(), machine.cpu.get()})
    EXPECT_TRUE(query<cl_bool>(clGetDeviceInfo, query<cl_device_id>(clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE),
                               CL_DEVICE_AVAILABLE));
  for (const Mem *on : {&machine.untouched, &machine.first}) {
    EXPECT_EQ(clEnqueueWriteBuffer(machine.otherGpu, *on, CL_TRUE, 0, Bytes, machine.data.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(clEnqueueReadBuffer(machine.otherGpu, *on, CL_TRUE, 0, Bytes, result.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(result, machine.data);
    EXPECT_EQ(machine.launch(machine.cpu, *on, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clEnqueueReadBuffer(machine.cpu, *on, CL_TRUE, 0, Bytes, result.data(), 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(result, resultsOf(5, Items));
  }
}

/// New objects of a context with a lost device serve its other devices.
void checkNewObjects(Machine &machine) {
  cl_int code = 1;
  EXPECT_EQ(Queue(clCreateCommandQueueWithProperties(machine.context, machine.devices[0], nullptr, &code)).get(),
            nullptr);
  EXPECT_EQ(code, CL_OUT_OF_RESOURCES);
  Queue another = clCreateCommandQueueWithProperties(machine.context, machine.devices[1], nullptr, &code);
  EXPECT_EQ(code, CL_SUCCESS);

  const std::string text = sourceOf(7);
  const char *pointer = text.c_str();
  Program program = clCreateProgramWithSource(machine.context, 1, &pointer, nullptr, &code);
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_OUT_OF_RESOURCES);
  for (cl_device_id device : machine.devices)
    EXPECT_EQ(query<cl_build_status>(clGetProgramBuildInfo, program.get(), device, CL_PROGRAM_BUILD_STATUS),
              device == machine.devices[0] ? CL_BUILD_ERROR : CL_BUILD_SUCCESS);
  Kernel kernel = clCreateKernel(program, "k", &code);
  EXPECT_EQ(code, CL_SUCCESS);
  std::vector<int> result(Items, -1);
  for (cl_mem_flags flags : {CL_MEM_READ_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_USE_HOST_PTR}) {
    std::vector<int> own(Items, -2);
    Mem buffer =
        clCreateBuffer(machine.context, flags, Bytes, flags == CL_MEM_USE_HOST_PTR ? own.data() : nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS) << flags;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.address()), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(machine.cpu, kernel, 1, nullptr, &Items, nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(clFinish(machine.cpu), CL_SUCCESS);
    EXPECT_EQ(clEnqueueReadBuffer(another, buffer, CL_TRUE, 0, Bytes, result.data(), 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(result, resultsOf(7, Items)) << flags;
    auto *mapped = static_cast<int *>(
        clEnqueueMapBuffer(machine.cpu, buffer, CL_TRUE, CL_MAP_READ, 0, Bytes, 0, nullptr, nullptr, &code));
    EXPECT_EQ(code, CL_SUCCESS);
    if (!mapped)
      continue;
    EXPECT_TRUE(std::equal(result.begin(), result.end(), mapped));
    EXPECT_EQ(clEnqueueUnmapMemObject(machine.cpu, buffer, mapped, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clFinish(machine.cpu), CL_SUCCESS);
  }
  auto *shared = static_cast<int *>(clSVMAlloc(machine.context, CL_MEM_READ_WRITE, Bytes, 0));
  ASSERT_NE(shared, nullptr);
  EXPECT_EQ(clSetKernelArgSVMPointer(kernel, 0, shared), CL_SUCCESS);
  EXPECT_LT(clEnqueueNDRangeKernel(machine.inOrder, kernel, 1, nullptr, &Items, nullptr, 0, nullptr, nullptr), 0);
  EXPECT_EQ(clEnqueueNDRangeKernel(machine.cpu, kernel, 1, nullptr, &Items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clEnqueueSVMMap(machine.cpu, CL_TRUE, CL_MAP_READ, shared, Bytes, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(std::vector<int>(shared, shared + Items), resultsOf(7, Items));
  EXPECT_EQ(clEnqueueSVMUnmap(machine.cpu, shared, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clFinish(machine.cpu), CL_SUCCESS);
  clSVMFree(machine.context, shared);
}

void checkLog(const std::string &log) {
  EXPECT_NE(log.find("device Fake GPU 0 is lost for this process"), std::string::npos) << log;
  EXPECT_NE(log.find(": device 1, Fake GPU 0, is lost"), std::string::npos) << log;
  EXPECT_LT(std::ranges::count(log, '\n'), 10) << log;
}

TEST_F(LostDevice, InEachKindOfCall) {
  PROVES("EXEC-3.2f API-4.4b");
  struct Case {
    const char *call;
    int code;
  };
  for (const Case &each :
       {Case{"cuLaunchKernel", 719}, Case{"cuMemcpyHtoDAsync_v2", 700}, Case{"cuMemcpyDtoHAsync_v2", 700},
        Case{"cuMemcpyDtoDAsync_v2", 700}, Case{"cuMemsetD8Async", 214}, Case{"cuStreamWriteValue32_v2", 719},
        Case{"cuEventRecord", 719}, Case{"cuStreamWaitEvent", 46}, Case{"cuMemAlloc_v2", 46},
        Case{"cuMemHostAlloc", 46}, Case{"cuEventElapsedTime", 214}, Case{"", 719}})
    for (unsigned nth : {1u, 2u, 5u}) {
      if (nth > 2 && std::string_view(each.call) == "cuMemHostAlloc")
        continue; // only each queue's staging ring
      SCOPED_TRACE(std::string(each.call) + ", call " + std::to_string(nth));
      checkLog(onFakeGpus([&] {
        Machine machine;
        std::vector<Event> warmUp;
        Mem fresh = machine.buffer();
        machine.enqueueAll(machine.inOrder, warmUp, fresh);
        EXPECT_EQ(machine.wait(warmUp), warmUp.size());
        driver().loseDevice(each.call, nth, each.code);
        std::vector<Event> events;
        std::vector<Mem> more;
        for (int round = 0; round < 12; ++round) {
          more.push_back(machine.buffer());
          machine.enqueueAll(round % 2 ? machine.outOfOrder : machine.inOrder, events, more.back());
        }
        EXPECT_LT(machine.wait(events), events.size() + !driver().isBroken(0));
        EXPECT_TRUE(driver().isBroken(0)) << "no command has made that call";
        checkLost(machine);
      }));
    }
}

// The work is on the device when it is lost, and further commands wait for an event of the application.
TEST_F(LostDevice, WithPendingCommands) {
  PROVES("EXEC-3.2f API-4.4b");
  const std::string log = onFakeGpus([&] {
    Machine machine;
    std::vector<Event> events;
    Mem fresh = machine.buffer();
    driver().hold(true);
    driver().breakDevice(719);
    EXPECT_EQ(machine.launch(machine.inOrder, machine.first, 0, nullptr, events.emplace_back().out()), CL_SUCCESS);
    machine.enqueueAll(machine.inOrder, events, fresh);
    cl_int code = 1;
    Event gate = clCreateUserEvent(machine.context, &code);
    EXPECT_EQ(machine.launch(machine.outOfOrder, machine.second, 1, gate.address(), events.emplace_back().out()),
              CL_SUCCESS);
    EXPECT_EQ(clFlush(machine.inOrder), CL_SUCCESS);
    driver().hold(false);
    EXPECT_EQ(clFinish(machine.inOrder), CL_SUCCESS);
    EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    EXPECT_EQ(machine.wait(events), 0u);
    checkLost(machine);
    checkNewObjects(machine);
  });
  checkLog(log);
  // The first command of the queue that had not ended.
  EXPECT_NE(log.find("kernel k failed with -5: device 1, Fake GPU 0, is lost"), std::string::npos) << log;
}

} // namespace
} // namespace kiln::test
