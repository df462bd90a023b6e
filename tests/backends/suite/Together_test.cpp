// Several devices in one context.
#include "tests/backends/suite/Suite.h"

namespace kiln::suite {

class DevicesTogether : public InContext {
protected:
  void SetUp() override {
    if (devices().size() < 2)
      GTEST_SKIP() << "the platform has one device";
    open(devices());
    for (cl_device_id device : devices())
      queues.push_back(makeQueue(device));
  }
  std::vector<Queue> queues;
};

// One NDRange divided over all devices, each part in a sub-buffer.
TEST_F(DevicesTogether, OneRangeOverAll) {
  size_t align = 1;
  for (cl_device_id device : devices())
    align = std::max<size_t>(align, query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8);
  const size_t part = (100'000 * 4 + align - 1) / align * align, count = part / 4, all = count * queues.size();
  Mem in = buffer(counted<cl_int>(all)), out = buffer(std::vector<cl_int>(all, -1));
  Program program = build(R"(
kernel void run(global const int *in, global int *out, int first) {
  int i = get_global_id(0);
  out[i - first] = in[i] * 3 + first;
}
)");
  ASSERT_NE(program, nullptr);
  std::vector<Mem> parts;
  for (size_t d = 0; d < queues.size(); ++d) {
    cl_buffer_region region = {d * part, part};
    cl_int code = 1;
    parts.push_back(clCreateSubBuffer(out, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
    ASSERT_EQ(code, CL_SUCCESS);
    Kernel run = kernel(program, "run");
    set(run, 0, in, parts.back(), cl_int(d * count));
    launch(queues[d], run, {count}, {}, {d * count});
  }
  for (Queue &queue : queues)
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  for (Queue &queue : queues) {
    std::vector<cl_int> result = read<cl_int>(queue, out, all);
    for (size_t i = 0; i < all; ++i)
      ASSERT_EQ(result[i], cl_int(i * 3 + i / count * count)) << i;
  }
}

// A buffer used on one device after the other, ordered by events alone.
TEST_F(DevicesTogether, HandedAround) {
  constexpr size_t Count = 10'000;
  Mem memory = buffer(std::vector<cl_int>(Count, 1));
  Program program =
      build("kernel void run(global int *a, int add) { int i = get_global_id(0); a[i] = a[i] * 3 + add; }");
  ASSERT_NE(program, nullptr);
  Event last;
  cl_uint expected = 1;
  for (int round = 0; round < 100; ++round) {
    Kernel run = kernel(program, "run");
    set(run, 0, memory, cl_int(round));
    Event event;
    launch(queues[size_t(round) % queues.size()], run, {Count}, {}, {},
           last ? std::vector<cl_event>{last.get()} : std::vector<cl_event>{}, event.out());
    last = std::move(event);
    expected = expected * 3 + cl_uint(round);
  }
  cl_event wait = last;
  ASSERT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
  for (Queue &queue : queues)
    EXPECT_EQ(read<cl_int>(queue, memory, Count), std::vector<cl_int>(Count, cl_int(expected)));
}

TEST_F(DevicesTogether, CopiesBetweenDevices) {
  constexpr size_t Count = 100'000;
  Mem first = buffer(Count * 4), second = buffer(Count * 4);
  for (size_t from = 0; from < queues.size(); ++from)
    for (size_t to = 0; to < queues.size(); ++to) {
      cl_int value = cl_int(from * 100 + to), zero = 0;
      Event filled, cleared, copied;
      ASSERT_EQ(clEnqueueFillBuffer(queues[from], first, &value, 4, 0, Count * 4, 0, nullptr, filled.out()),
                CL_SUCCESS);
      ASSERT_EQ(clEnqueueFillBuffer(queues[to], second, &zero, 4, 0, Count * 4, 0, nullptr, cleared.out()), CL_SUCCESS);
      cl_event waits[] = {filled, cleared};
      ASSERT_EQ(clEnqueueCopyBuffer(queues[to], first, second, 0, 400, Count * 4 - 400, 2, waits, copied.out()),
                CL_SUCCESS);
      cl_event wait = copied;
      ASSERT_EQ(clWaitForEvents(1, &wait), CL_SUCCESS);
      std::vector<cl_int> result = read<cl_int>(queues[from], second, Count);
      ASSERT_EQ(result[99], 0);
      ASSERT_EQ(result[100], value);
      ASSERT_EQ(result[Count - 1], value);
    }
}

TEST_F(DevicesTogether, MapAfterEachDevice) {
  constexpr size_t Count = 10'000;
  Mem memory = buffer(std::vector<cl_int>(Count, 0));
  Program program = build("kernel void run(global int *a) { a[get_global_id(0)] += 1; }");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  set(run, 0, memory);
  cl_int expected = 0;
  for (int round = 0; round < 20; ++round) {
    cl_command_queue queue = queues[size_t(round) % queues.size()];
    launch(queue, run, {Count});
    ++expected;
    cl_int code = 1;
    auto *mapped = static_cast<cl_int *>(clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                                            Count * 4, 0, nullptr, nullptr, &code));
    ASSERT_EQ(code, CL_SUCCESS);
    ASSERT_EQ(mapped[0], expected);
    ASSERT_EQ(mapped[Count - 1], expected);
    for (size_t i = 0; i < Count; ++i)
      mapped[i] *= 2;
    expected *= 2;
    ASSERT_EQ(clEnqueueUnmapMemObject(queue, memory, mapped, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  }
}

} // namespace kiln::suite
