// Device-side enqueue as the host observes it: device queues, and the completion of a launch with its child commands.
#include "tests/api/ProgramTest.h"
#include <thread>

namespace kiln::test {
namespace {

constexpr cl_queue_properties OnDevice = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

struct DeviceEnqueue : WithProgram {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithProgram::SetUp());
    if (!(query<cl_device_device_enqueue_capabilities>(clGetDeviceInfo, device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) &
          CL_DEVICE_QUEUE_SUPPORTED))
      GTEST_SKIP() << "the device has no device-side enqueue";
    standard = deviceQueue(OnDevice | CL_QUEUE_ON_DEVICE_DEFAULT);
  }
  Queue deviceQueue(cl_queue_properties properties = OnDevice, cl_uint size = 0, cl_context in = nullptr) {
    std::vector<cl_queue_properties> list{CL_QUEUE_PROPERTIES, properties};
    if (size)
      list.insert(list.end(), {CL_QUEUE_SIZE, size});
    list.push_back(0);
    code = 1;
    return clCreateCommandQueueWithProperties(in ? in : context.get(), device, list.data(), &code);
  }
  Kernel kernelOf(const char *text, const char *options = "") {
    program = built(text, (std::string("-cl-std=CL3.0 ") + options).c_str());
    return kernel(program, "parent");
  }
  Mem filled(size_t count, int value) {
    std::vector<int> values(count, value);
    return buffer(count * sizeof(int), CL_MEM_COPY_HOST_PTR, values.data());
  }
  /// Runs the kernel with a buffer of `count` ints, initially -1, and returns its contents.
  std::vector<int> run(const char *text, size_t global, size_t count, const char *options = "") {
    Kernel k = kernelOf(text, options);
    out = filled(count, -1);
    EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
    EXPECT_EQ(launch(k, global), CL_SUCCESS);
    return read<int>(out, count);
  }
  Queue standard;
  Program program;
  Mem out;
  cl_int code = 1;
};

} // namespace

// ---- queues ----

TEST_F(DeviceEnqueue, QueueProperties) {
  PROVES("API-5.1a API-5.1f");
  Queue queue = deviceQueue(OnDevice | CL_QUEUE_PROFILING_ENABLE, 65536);
  ASSERT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(query<cl_context>(clGetCommandQueueInfo, queue.get(), CL_QUEUE_CONTEXT), context);
  EXPECT_EQ(query<cl_device_id>(clGetCommandQueueInfo, queue.get(), CL_QUEUE_DEVICE), device);
  EXPECT_EQ(query<cl_uint>(clGetCommandQueueInfo, queue.get(), CL_QUEUE_SIZE), 65536u);
  EXPECT_EQ(query<cl_command_queue_properties>(clGetCommandQueueInfo, queue.get(), CL_QUEUE_PROPERTIES),
            cl_command_queue_properties(OnDevice | CL_QUEUE_PROFILING_ENABLE));
  Queue preferred = deviceQueue();
  EXPECT_EQ(query<cl_uint>(clGetCommandQueueInfo, preferred.get(), CL_QUEUE_SIZE),
            query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE));
  EXPECT_EQ(clRetainCommandQueue(queue), CL_SUCCESS);
  EXPECT_EQ(query<cl_uint>(clGetCommandQueueInfo, queue.get(), CL_QUEUE_REFERENCE_COUNT), 2u);
  EXPECT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
}

TEST_F(DeviceEnqueue, QueueTooLarge) {
  PROVES("API-5.1b");
  cl_uint most = query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE);
  EXPECT_EQ(deviceQueue(OnDevice, most + 1), nullptr);
  EXPECT_EQ(code, CL_INVALID_QUEUE_PROPERTIES);
  Queue largest = deviceQueue(OnDevice, most);
  EXPECT_EQ(code, CL_SUCCESS);
}

TEST_F(DeviceEnqueue, MaxQueues) {
  PROVES("API-5.1a");
  std::vector<Queue> queues;
  for (cl_uint i = 0; i < query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MAX_ON_DEVICE_QUEUES); ++i) {
    queues.push_back(deviceQueue());
    ASSERT_EQ(code, CL_SUCCESS);
  }
  EXPECT_EQ(deviceQueue(), nullptr);
  EXPECT_EQ(code, CL_OUT_OF_RESOURCES);
  queues.pop_back();
  queues.push_back(deviceQueue());
  EXPECT_EQ(code, CL_SUCCESS);
}

TEST_F(DeviceEnqueue, OneDefaultQueue) {
  PROVES("API-5.1c");
  Queue again = deviceQueue(OnDevice | CL_QUEUE_ON_DEVICE_DEFAULT);
  EXPECT_EQ(again.get(), standard.get());
  EXPECT_EQ(query<cl_uint>(clGetCommandQueueInfo, standard.get(), CL_QUEUE_REFERENCE_COUNT), 2u);
  EXPECT_EQ(query<cl_command_queue>(clGetCommandQueueInfo, queue.get(), CL_QUEUE_DEVICE_DEFAULT), standard.get());
}

TEST_F(DeviceEnqueue, DefaultQueueReplaced) {
  PROVES("API-5.1d DSE-14");
  Queue other = deviceQueue();
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context, device, queue), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(nullptr, device, other), CL_INVALID_CONTEXT);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context, nullptr, other), CL_INVALID_DEVICE);
  Queue foreign = deviceQueue(OnDevice, 0, otherContext);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context, device, foreign), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context, device, other), CL_SUCCESS);
  EXPECT_EQ(query<cl_command_queue>(clGetCommandQueueInfo, other.get(), CL_QUEUE_DEVICE_DEFAULT), other.get());

  constexpr const char *Source =
      "kernel void parent(global int *out, queue_t q) { out[0] = q == get_default_queue(); }";
  Kernel k = kernelOf(Source);
  out = filled(1, -1);
  EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
  EXPECT_EQ(set(k, 1, other.get()), CL_SUCCESS);
  EXPECT_EQ(launch(k, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], 1);
  other.reset(); // after its release there is no default queue
  EXPECT_EQ(query<cl_command_queue>(clGetCommandQueueInfo, queue.get(), CL_QUEUE_DEVICE_DEFAULT), nullptr);
}

TEST_F(DeviceEnqueue, HostCallsRejectDeviceQueues) {
  PROVES("API-5.15a");
  EXPECT_EQ(clFlush(standard), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clFinish(standard), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clEnqueueMarkerWithWaitList(standard, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
}

TEST_F(DeviceEnqueue, ArgumentMustBeADeviceQueue) {
  PROVES("API-5.9.2a");
  Kernel k = kernelOf("kernel void parent(queue_t q) { }");
  EXPECT_EQ(clSetKernelArg(k, 0, sizeof(cl_command_queue), queue.address()), CL_INVALID_DEVICE_QUEUE);
  EXPECT_EQ(clSetKernelArg(k, 0, sizeof(cl_command_queue), nullptr), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(clSetKernelArg(k, 0, 4, standard.address()), CL_INVALID_ARG_SIZE);
  Queue foreign = deviceQueue(OnDevice, 0, otherContext);
  EXPECT_EQ(clSetKernelArg(k, 0, sizeof(cl_command_queue), foreign.address()), CL_INVALID_DEVICE_QUEUE);
  EXPECT_EQ(clSetKernelArg(k, 0, sizeof(cl_command_queue), standard.address()), CL_SUCCESS);
}

// ---- the four forms of enqueue_kernel ----

TEST_F(DeviceEnqueue, CapturedValuesAreThoseOfTheEnqueue) {
  PROVES("LANG-1.13.17a LANG-1.13.17j LANG-1.12b DSE-06");
  constexpr const char *Source = R"(
    typedef struct { int a; char b[5]; double c; } S;
    kernel void parent(global int *out) {
      S s = {7, {1, 2, 3, 4, 5}, 0.5};
      int4 v = (int4)(10, 20, 30, 40);
      int n = 100;
      out[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{
        size_t i = get_global_id(0);
        out[1 + i] = s.a + s.b[4] + (int)(s.c * 2) + v[i] + n;
      });
      n = 5; s.a = 0; v = 0;
    })";
  EXPECT_EQ(run(Source, 1, 5), (std::vector<int>{0, 123, 133, 143, 153}));
}

TEST_F(DeviceEnqueue, LocalArguments) {
  PROVES("LANG-1.13.17a DSE-05");
  constexpr const char *Source = R"(
    kernel void parent(global int *out) {
      out[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8, 4),
          ^(local void *a, local void *b) {
            local int *x = a; local long *y = b;
            size_t i = get_local_id(0);
            x[i] = (int)get_global_id(0); y[i] = 100;
            barrier(CLK_LOCAL_MEM_FENCE);
            out[1 + get_global_id(0)] = x[3 - i] + (int)y[3 - i];
          }, 16u, (uint)(4 * sizeof(long)));
    })";
  EXPECT_EQ(run(Source, 1, 9), (std::vector<int>{0, 103, 102, 101, 100, 107, 106, 105, 104}));
}

TEST_F(DeviceEnqueue, EventsOrderChildren) {
  PROVES("LANG-1.13.17a LANG-1.13.17f LANG-1.13.17g EXEC-3.2.3a EXEC-3.2.3d");
  constexpr const char *Source = R"(
    kernel void parent(global int *out) {
      queue_t q = get_default_queue();
      ndrange_t r = ndrange_1D(1);
      clk_event_t user = create_user_event(), first, second, marker;
      out[0] = is_valid_event(user) && !is_valid_event(CLK_NULL_EVENT);
      out[1] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, r, 1, &user, &first, ^{ out[5] = 1; });
      out[2] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, r, 1, &first, &second, ^{ out[6] = out[5] + 1; });
      clk_event_t both[2] = {first, second};
      out[3] = enqueue_marker(q, 2, both, &marker);
      out[4] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, r, 1, &marker, NULL, ^{ out[7] = out[6] + 1; });
      retain_event(first); release_event(first); release_event(first); release_event(second); release_event(marker);
      set_user_event_status(user, CL_COMPLETE);
      release_event(user);
    })";
  EXPECT_EQ(run(Source, 1, 8), (std::vector<int>{1, 0, 0, 0, 0, 1, 2, 3}));
}

TEST_F(DeviceEnqueue, EventSetByAnotherChild) {
  PROVES("LANG-1.13.17g");
  constexpr const char *Source = R"(
    kernel void parent(global int *out) {
      queue_t q = get_default_queue();
      clk_event_t user = create_user_event();
      enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &user, NULL, ^{ out[0] = out[1] + 1; });
      enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
        out[1] = 41;
        set_user_event_status(user, CL_COMPLETE);
        release_event(user);
      });
    })";
  EXPECT_EQ(run(Source, 1, 2), (std::vector<int>{42, 41}));
}

TEST_F(DeviceEnqueue, RangesOfThreeDimensionsWithOffsets) {
  PROVES("LANG-1.13.17i DSE-08");
  constexpr const char *Source = R"(
    kernel void parent(global int *out) {
      size_t o[3] = {1, 2, 3}, g[3] = {2, 4, 2}, l[3] = {1, 2, 2};
      ndrange_t r = ndrange_3D(o, g, l), copy = r;
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, copy, ^{
        size_t i = (get_global_id(2) - 3) * 8 + (get_global_id(1) - 2) * 2 + get_global_id(0) - 1;
        out[i] = (int)(get_local_size(1) * 100 + get_group_id(1) * 10 + get_work_dim());
      });
    })";
  std::vector<int> expected;
  for (int i = 0; i < 16; ++i)
    expected.push_back(203 + i / 4 % 2 * 10);
  EXPECT_EQ(run(Source, 1, 16), expected);
}

// A child without barriers may be run by an executor (docs/device-enqueue.md), which computes the ids itself.
TEST_F(DeviceEnqueue, IdsOfSmallChildren) {
  PROVES("LANG-1.13.17d EXEC-3.2.3b");
  constexpr const char *Source = R"(
    kernel void parent(global int *out) {
      size_t offset[3] = {7, 5, 3}, size[3] = {5, 4, 6}, group[3] = {5, 2, 3};
      for (int c = 0; c < 20; ++c)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_3D(offset, size, group), ^{
          int x = get_global_id(0) - 7, y = get_global_id(1) - 5, z = get_global_id(2) - 3;
          bool right = get_global_linear_id() == (z * 4 + y) * 5 + x && get_work_dim() == 3 &&
                       get_local_id(0) == x && get_local_id(1) == y % 2 && get_local_id(2) == z % 3 &&
                       get_local_linear_id() == (z % 3 * 2 + y % 2) * 5 + x &&
                       get_group_id(0) == 0 && get_group_id(1) == y / 2 && get_group_id(2) == z / 3 &&
                       get_global_offset(1) == 5 && get_global_size(2) == 6 && get_local_size(2) == 3 &&
                       get_enqueued_local_size(0) == 5 && get_num_groups(1) == 2 && get_local_size(3) == 1;
          out[c * 120 + (z * 4 + y) * 5 + x] = right ? c : -2;
        });
    })";
  std::vector<int> expected;
  for (int i = 0; i < 20 * 120; ++i)
    expected.push_back(i / 120);
  EXPECT_EQ(run(Source, 1, expected.size()), expected);
}

// Children that an executor may run and children that it must leave to the host, from each other.
TEST_F(DeviceEnqueue, SmallAndLargeChildrenInTurn) {
  PROVES("EXEC-3.2.3b DSE-12");
  constexpr const char *Source = R"(
    void small(global int *out, int left) {
      atomic_inc(out);
      if (left && get_global_id(0) == 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64, 32), ^(local void *memory) {
          local int *sum = memory;
          if (get_local_id(0) == 0) *sum = 0;
          barrier(CLK_LOCAL_MEM_FENCE);
          atomic_inc(sum);
          barrier(CLK_LOCAL_MEM_FENCE);
          if (get_local_id(0) == 0) atomic_add(out + 1, *sum);
          if (get_global_id(0) == 0)
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(3000), ^{
              atomic_inc(out + 2);
              if (get_global_id(0) == 2999)
                enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(2), ^{ atomic_inc(out + 3); });
            });
        }, (uint)sizeof(int));
    }
    kernel void parent(global int *out) {
      for (int i = 0; i < 4; ++i)
        out[i] = 0;
      for (int i = 0; i < 5; ++i)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(3), ^{ small(out, 1); });
    })";
  EXPECT_EQ(run(Source, 1, 4), (std::vector<int>{15, 320, 15000, 10}));
}

// Groups of an executor share the queue: a child observes all that its parent's work-items wrote.
TEST_F(DeviceEnqueue, ChildrenStartAfterTheirParent) {
  PROVES("LANG-1.13.17d EXEC-3.2.3b");
  constexpr const char *Source = R"(
    kernel void parent(global int *out) {
      for (int c = 0; c < 300; ++c) {
        global int *own = out + 1 + c * 70;
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(70), ^{
          size_t i = get_global_id(0);
          if (i == 5)
            for (int n = 0; n < 3; ++n)
              enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(70), ^{
                if (own[69 - get_global_id(0)] == c) atomic_inc(out);
              });
          own[i] = c;
        });
      }
    })";
  out = filled(1 + 300 * 70, -1);
  Queue large = deviceQueue(OnDevice, 1 << 20);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context, device, large), CL_SUCCESS);
  EXPECT_EQ(run(Source, 1, 1 + 300 * 70)[0], 300 * 3 * 70 - 1);
}

// A child that several groups share ends when all its work-items have, and only then its children start.
TEST_F(DeviceEnqueue, LargeChildren) {
  PROVES("LANG-1.13.17d EXEC-3.2.3b");
  constexpr const char *Source = R"(
    kernel void parent(global int *out) {
      for (int c = 0; c < 5; ++c) {
        size_t size[2] = {1000, 20}, group[2] = {50, 2};
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_2D(size, group), ^{
          size_t i = get_global_id(1) * 1000 + get_global_id(0);
          if (get_global_linear_id() != i || get_local_id(0) != i % 50 || get_group_id(1) != i / 2000) return;
          if (i % 5000 == 0)
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
              if (out[5 + c] == 20000 - 1) atomic_inc(out + c);
            });
          atomic_inc(out + 5 + c);
        });
      }
    })";
  std::vector<int> expected(10, 3);
  for (int c = 0; c < 5; ++c)
    expected[5 + c] = 20000 - 1;
  EXPECT_EQ(run(Source, 1, 10), expected);
}

// Work-groups with barriers and local memory: of one sub-group, of several, and such that an executor leaves to the
// host.
TEST_F(DeviceEnqueue, BarriersInChildren) {
  PROVES("LANG-1.13.17a DSE-05");
  constexpr const char *Source = R"(
    void turn(global int *out, int at, local int *a, local int *b) {
      size_t i = get_local_id(0), n = get_local_size(0);
      a[i] = (int)get_global_id(0);
      barrier(CLK_LOCAL_MEM_FENCE);
      b[n - 1 - i] = a[i];
      barrier(CLK_LOCAL_MEM_FENCE);
      if (b[i] >= 0 && i != n) out[at + get_global_id(0)] = b[i];
      barrier(CLK_LOCAL_MEM_FENCE);
      b[i] = a[i] = -5;
    }
    kernel void parent(global int *out) {
      int sizes[8] = {1, 4, 32, 33, 64, 96, 256, 512}, at = 0;
      for (int s = 0; s < 8; ++s) {
        int size = sizes[s];
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(size * 6, size),
                       ^(local void *a, local void *b) { turn(out, at, a, b); },
                       (uint)(size * sizeof(int)), (uint)(size * sizeof(int)));
        at += size * 6;
      }
    })";
  std::vector<int> expected;
  for (int size : {1, 4, 32, 33, 64, 96, 256, 512})
    for (int i = 0; i < size * 6; ++i)
      expected.push_back(i / size * size + size - 1 - i % size);
  EXPECT_EQ(run(Source, 1, expected.size()), expected);
}

// More local memory than an executor has, beside children with little.
TEST_F(DeviceEnqueue, LocalMemoryOfChildren) {
  PROVES("LANG-1.13.17a DSE-05");
  constexpr const char *Source = R"(
    void fill(global int *out, local int *memory, int count) {
      for (int i = get_local_id(0); i < count; i += get_local_size(0)) memory[i] = i;
      barrier(CLK_LOCAL_MEM_FENCE);
      int sum = 0;
      if (get_local_id(0) == 0) {
        for (int i = 0; i < count; ++i) sum += memory[i];
        atomic_add(out, sum);
      }
    }
    kernel void parent(global int *out) {
      for (int c = 0; c < 3; ++c)
        for (int count = 10; count <= 10000; count *= 10)
          enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(32, 32),
                         ^(local void *p) { fill(out + 1 + c, p, count); }, (uint)(count * sizeof(int)));
    })";
  constexpr int Sum = 45 + 4950 + 499500 + 49995000 - 1;
  EXPECT_EQ(run(Source, 1, 4), (std::vector<int>{-1, Sum, Sum, Sum}));
}

// The default queue becomes full; each launch frees it.
TEST_F(DeviceEnqueue, FullDefaultQueue) {
  PROVES("LANG-1.13.17c DSE-12");
  constexpr const char *Source = R"(
    kernel void parent(global int *out, int count) {
      for (int i = 0; i < count; ++i) {
        int e = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ atomic_inc(out); });
        if (e == CLK_SUCCESS) ++out[1];
        else if (e == CLK_DEVICE_QUEUE_FULL) ++out[2];
        else out[3] = e;
      }
    })";
  Queue small = deviceQueue(OnDevice, 16384);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context, device, small), CL_SUCCESS);
  Kernel k = kernelOf(Source, "-g");
  for (int count : {1000, 20000, 50, 0, 50}) {
    out = filled(4, 0);
    EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
    EXPECT_EQ(set(k, 1, count), CL_SUCCESS);
    EXPECT_EQ(launch(k, 1), CL_SUCCESS);
    std::vector<int> left = read<int>(out, 4);
    EXPECT_GE(left[1], std::min(count, 16384 / 512));
    EXPECT_LE(left[1], std::min(count, 16384 / 128));
    EXPECT_EQ(left[0], left[1]);
    EXPECT_EQ(left[1] + left[2], count);
    EXPECT_EQ(left[3], 0);
  }
}

// An event is complete when all descendants of its command are: those that an executor runs, and those that it leaves
// to the host because they print.
TEST_F(DeviceEnqueue, EventsIncludeDescendants) {
  PROVES("LANG-1.13.17g EXEC-3.2.3d");
  constexpr const char *Source = R"(
    void down(global int *out, int level) {
      atomic_inc(out);
      if (level)
        for (int i = 0; i < 2; ++i)
          enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ down(out, level - 1); });
    }
    void leave(global int *out) {
      atomic_inc(out);
      if (out[0] < 0) printf("never\n");
    }
    kernel void parent(global int *out, int host) {
      queue_t q = get_default_queue();
      ndrange_t r = ndrange_1D(1);
      out[0] = out[1] = out[2] = 0;
      clk_event_t inner, outer, marker;
      enqueue_kernel(q, 0, r, 0, NULL, &outer, ^{
        clk_event_t deep;
        enqueue_kernel(q, 0, r, 0, NULL, &deep, ^{ down(out, 4); });
        enqueue_kernel(q, 0, r, 1, &deep, NULL, ^{
          out[1] = out[0];
          if (host) enqueue_kernel(q, 0, r, ^{ leave(out); });
          enqueue_kernel(q, 0, r, ^{ atomic_inc(out); });
        });
        release_event(deep);
      });
      enqueue_kernel(q, 0, r, 1, &outer, &inner, ^{ out[2] = out[0]; });
      clk_event_t both[2] = {outer, inner};
      enqueue_marker(q, 2, both, &marker);
      enqueue_kernel(q, 0, r, 1, &marker, NULL, ^{ out[3] = out[2] + 1; });
      release_event(inner); release_event(outer); release_event(marker);
    })";
  Kernel k = kernelOf(Source);
  for (int host : {0, 1, 0, 1}) {
    out = filled(4, -1);
    EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
    EXPECT_EQ(set(k, 1, host), CL_SUCCESS);
    EXPECT_EQ(launch(k, 1), CL_SUCCESS);
    EXPECT_EQ(read<int>(out, 4), (std::vector<int>{32 + host, 31, 32 + host, 33 + host}));
  }
}

// Children that many events order: each waits for the two before it, the first ones for a user event that another child
// sets.
TEST_F(DeviceEnqueue, LatticeOfEvents) {
  PROVES("LANG-1.13.17g EXEC-3.2.3a");
  constexpr const char *Source = R"(
    kernel void parent(global int *out) {
      queue_t q = get_default_queue();
      ndrange_t r = ndrange_1D(3);
      clk_event_t gate = create_user_event(), previous[2] = {gate, gate};
      for (int i = 0; i < 100; ++i) {
        clk_event_t event;
        int code = enqueue_kernel(q, 0, r, 2, previous, &event, ^{
          if (get_global_id(0) == 0) out[i] = (i ? out[i - 1] : 0) + (i > 1 ? out[i - 2] : 1) % 1000;
        });
        if (code) out[i] = code;
        if (i > 1) release_event(previous[0]);
        if (i) previous[0] = previous[1];
        else previous[0] = event;
        previous[1] = event;
      }
      release_event(previous[0]); release_event(previous[1]);
      enqueue_kernel(q, 0, ndrange_1D(1), ^{
        enqueue_kernel(q, 0, ndrange_1D(1), ^{ set_user_event_status(gate, CL_COMPLETE); release_event(gate); });
      });
    })";
  std::vector<int> expected;
  for (int i = 0; i < 100; ++i)
    expected.push_back((i ? expected[i - 1] : 0) + (i > 1 ? expected[i - 2] : 1) % 1000);
  for (int round = 0; round < 15; ++round) // more events than there are
    EXPECT_EQ(run(Source, 1, 100), expected);
}

TEST_F(DeviceEnqueue, EveryWorkItemEnqueues) {
  PROVES("LANG-1.13.17d DSE-12");
  constexpr const char *Source = R"(
    kernel void parent(global int *out) {
      int i = get_global_id(0);
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(2), ^{
        atomic_add(out + i, i + 1);
      });
    })";
  std::vector<int> expected;
  for (int i = 0; i < 1000; ++i)
    expected.push_back(2 * (i + 1) - 1);
  EXPECT_EQ(run(Source, 1000, 1000), expected);
}

TEST_F(DeviceEnqueue, BlockQueries) {
  PROVES("LANG-1.13.17e");
  constexpr const char *Source = R"(
    kernel void parent(global int *out) {
      out[0] = get_kernel_work_group_size(^{ out[0] = 1; });
      out[1] = get_kernel_preferred_work_group_size_multiple(^{ out[0] = 1; });
      out[2] = get_kernel_work_group_size(^(local void *p) { out[0] = *(local int *)p; });
      out[3] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(out[0], out[0]), ^{ out[4 + (get_local_id(0) & 1)] = 1; });
    })";
  std::vector<int> answers = run(Source, 1, 6);
  const auto most = int(query<size_t>(clGetDeviceInfo, device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  EXPECT_TRUE(answers[0] >= 1 && answers[0] <= most) << answers[0];
  EXPECT_TRUE(answers[2] >= 1 && answers[2] <= most) << answers[2];
  EXPECT_GE(answers[1], 1);
  EXPECT_EQ(std::vector<int>(answers.begin() + 3, answers.end()), (std::vector<int>{0, 1, 1}));
}

TEST_F(DeviceEnqueue, BlockCalledDirectly) {
  PROVES("LANG-1.12a DSE-10");
  constexpr const char *Source = R"(
    kernel void parent(global int *out) {
      int n = 5;
      int (^add)(int) = ^(int x) { return x + n; };
      out[0] = add(1);
      out[1] = add(add(1));
    })";
  EXPECT_EQ(run(Source, 1, 2), (std::vector<int>{6, 11}));
}

// ---- errors of enqueue_kernel ----

TEST_F(DeviceEnqueue, SpecificErrorsWithDebugging) {
  PROVES("LANG-1.13.17c DSE-15");
  constexpr const char *Source = R"(
    kernel void parent(global int *out, queue_t nothing) {
      queue_t q = get_default_queue();
      size_t bad[2] = {1 << 20, 1 << 20};
      size_t fine[2] = {4, 4};
      clk_event_t none = CLK_NULL_EVENT;
      out[0] = enqueue_kernel(q, 0, ndrange_2D(fine, bad), ^{ out[9] = 1; });
      out[1] = enqueue_kernel(q, 0, ndrange_1D(1), 1, &none, NULL, ^{ out[9] = 1; });
      out[2] = enqueue_kernel(q, 0, ndrange_1D(1), 1, NULL, NULL, ^{ out[9] = 1; });
      out[3] = enqueue_kernel(q, 0, ndrange_1D(1), ^(local void *p) { out[9] = 1; }, 0u);
      out[4] = enqueue_marker(q, 0, NULL, &none);
      out[5] = none == CLK_NULL_EVENT;
    })";
  for (bool detailed : {true, false}) {
    Kernel k = kernelOf(Source, detailed ? "-g" : "");
    out = filled(10, -1);
    EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
    EXPECT_EQ(set(k, 1, standard.get()), CL_SUCCESS);
    EXPECT_EQ(launch(k, 1), CL_SUCCESS);
    constexpr int Range = -160, Waits = -57, ArgSize = -51, Failure = -101;
    auto told = [&](int which) { return detailed ? which : Failure; };
    EXPECT_EQ(read<int>(out, 10),
              (std::vector<int>{told(Range), told(Waits), told(Waits), told(ArgSize), told(Waits), 1, -1, -1, -1, -1}));
  }
}

TEST_F(DeviceEnqueue, WithoutAQueueNothingIsEnqueued) {
  PROVES("LANG-1.13.17c LANG-1.13.17d");
  standard.reset();
  constexpr const char *Source = R"(
    kernel void parent(global int *out) {
      out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ out[1] = 1; });
    })";
  EXPECT_EQ(run(Source, 1, 2, "-g"), (std::vector<int>{-102, -1}));
}

TEST_F(DeviceEnqueue, LocalSizeThatDoesNotDivide) {
  PROVES("LANG-1.13.17c");
  constexpr const char *Source = R"(
    kernel void parent(global int *out) {
      out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(10, 4), ^{ atomic_inc(out + 1); });
    })";
  EXPECT_EQ(run(Source, 1, 2, "-g -cl-uniform-work-group-size"), (std::vector<int>{-160, -1}));
  if (query<cl_bool>(clGetDeviceInfo, device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT))
    EXPECT_EQ(run(Source, 1, 2, "-g"), (std::vector<int>{0, 9}));
}

TEST_F(DeviceEnqueue, FullQueueIsAnError) {
  PROVES("LANG-1.13.17c EXEC-3.2.3d DSE-12");
  constexpr const char *Source = R"(
    kernel void parent(global int *out, queue_t q, int count) {
      for (int i = 0; i < count; ++i) {
        int e = enqueue_kernel(q, 0, ndrange_1D(1), ^{ atomic_inc(out); });
        if (e == CLK_SUCCESS) ++out[1];
        else if (e == CLK_DEVICE_QUEUE_FULL) ++out[2];
        else out[3] = e;
      }
    })";
  constexpr int Count = 10000;
  Queue small = deviceQueue(OnDevice, 16384);
  Kernel k = kernelOf(Source, "-g");
  for (int round = 0; round < 3; ++round) { // each launch frees the queue's memory
    out = filled(4, 0);
    EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
    EXPECT_EQ(set(k, 1, small.get()), CL_SUCCESS);
    EXPECT_EQ(set(k, 2, Count), CL_SUCCESS);
    EXPECT_EQ(launch(k, 1), CL_SUCCESS);
    std::vector<int> left = read<int>(out, 4);
    EXPECT_GE(left[1], 16384 / 512);
    EXPECT_LE(left[1], 16384 / 128);
    EXPECT_EQ(left[0], left[1]);
    EXPECT_EQ(left[1] + left[2], Count);
    EXPECT_EQ(left[3], 0);
  }
}

TEST_F(DeviceEnqueue, EventsRunOut) {
  PROVES("LANG-1.13.17c EXEC-3.2.3d");
  constexpr const char *Source = R"(
    kernel void parent(global int *out, int count) {
      clk_event_t last = CLK_NULL_EVENT;
      for (int i = 0; i < count; ++i) {
        clk_event_t e;
        int code = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 0, NULL, &e, ^{ atomic_inc(out); });
        if (code == CLK_SUCCESS) ++out[1];
        else if (code == CLK_EVENT_ALLOCATION_FAILURE) ++out[2];
        else out[3] = code;
        if (code == CLK_SUCCESS) release_event(e);
      }
      out[4] = is_valid_event(create_user_event());
    })";
  const int most = int(query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MAX_ON_DEVICE_EVENTS));
  Queue large = deviceQueue(OnDevice, 1 << 20);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context, device, large), CL_SUCCESS);
  Kernel k = kernelOf(Source, "-g");
  for (int round = 0; round < 3; ++round) {
    out = filled(5, 0);
    EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
    EXPECT_EQ(set(k, 1, most + 10), CL_SUCCESS);
    EXPECT_EQ(launch(k, 1), CL_SUCCESS);
    EXPECT_EQ(read<int>(out, 5), (std::vector<int>{most, most, 10, 0, 0}));
  }
}

// ---- a launch and its descendants ----

TEST_F(DeviceEnqueue, CompleteWhenTheLastDescendantIs) {
  PROVES("EXEC-3.2.3b DSE-13");
  constexpr const char *Source = R"(
    void down(global int *out, int level) {
      if (level == 0) { out[0] = 1; return; }
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ down(out, level - 1); });
    }
    kernel void parent(global int *out) { down(out, 50); }
    kernel void next(global int *out) { out[1] = out[0]; })";
  for (cl_command_queue_properties order :
       {cl_command_queue_properties(0), cl_command_queue_properties(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)}) {
    Queue host = makeQueue(order | CL_QUEUE_PROFILING_ENABLE);
    Kernel k = kernelOf(Source), next = kernel(program, "next");
    out = filled(2, -1);
    EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
    EXPECT_EQ(set(next, 0, out), CL_SUCCESS);
    size_t one = 1;
    Event parent, behind;
    ASSERT_EQ(clEnqueueNDRangeKernel(host, k, 1, nullptr, &one, nullptr, 0, nullptr, parent.out()), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(host, next, 1, nullptr, &one, nullptr, order ? 1 : 0,
                                     order ? parent.address() : nullptr, behind.out()),
              CL_SUCCESS);
    EXPECT_EQ(clWaitForEvents(1, behind.address()), CL_SUCCESS);
    EXPECT_EQ(read<int>(out, 2), (std::vector<int>{1, 1}));
    auto time = [&](cl_profiling_info which) { return query<cl_ulong>(clGetEventProfilingInfo, parent.get(), which); };
    EXPECT_GT(time(CL_PROFILING_COMMAND_COMPLETE), time(CL_PROFILING_COMMAND_END));
    EXPECT_GE(time(CL_PROFILING_COMMAND_END), time(CL_PROFILING_COMMAND_START));
  }
}

TEST_F(DeviceEnqueue, FailureOfADescendantReachesTheHost) {
  PROVES("EXEC-3.2.3c API-5.11c");
  // More local memory than any device has. enqueue_kernel accepts it; the child's launch fails.
  constexpr const char *Source = R"(
    kernel void parent(global int *out) {
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
        out[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^(local void *p) {
          out[1] = 1;
        }, 1u << 31);
        out[2] = 1;
      });
    })";
  Kernel k = kernelOf(Source);
  out = filled(3, -1);
  EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
  Event event;
  ASSERT_EQ(launch(k, 1, nullptr, event.out()), CL_SUCCESS);
  EXPECT_EQ(clWaitForEvents(1, event.address()), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(query<cl_int>(clGetEventInfo, event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(read<int>(out, 3), (std::vector<int>{0, -1, 1}));
}

TEST_F(DeviceEnqueue, ChildOfAFailedEventDoesNotRun) {
  PROVES("LANG-1.13.17g EXEC-3.2.3c");
  constexpr const char *Source = R"(
    kernel void parent(global int *out) {
      clk_event_t user = create_user_event(), child;
      enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &user, &child, ^{ out[0] = 1; });
      enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &child, NULL, ^{ out[1] = 1; });
      set_user_event_status(user, -7);
      set_user_event_status(user, CL_COMPLETE);
      release_event(user); release_event(child);
    })";
  Kernel k = kernelOf(Source);
  out = filled(2, -1);
  EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
  Event event;
  ASSERT_EQ(launch(k, 1, nullptr, event.out()), CL_SUCCESS);
  EXPECT_EQ(clWaitForEvents(1, event.address()), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(read<int>(out, 2), (std::vector<int>{-1, -1}));
}

TEST_F(DeviceEnqueue, UserEventThatIsNeverSet) {
  constexpr const char *Source = R"(
    kernel void parent(global int *out) {
      clk_event_t user = create_user_event();
      enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &user, NULL, ^{ out[0] = 1; });
      release_event(user);
    })";
  Kernel k = kernelOf(Source);
  out = filled(1, -1);
  EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
  Event event;
  ASSERT_EQ(launch(k, 1, nullptr, event.out()), CL_SUCCESS);
  EXPECT_EQ(clWaitForEvents(1, event.address()), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(read<int>(out, 1)[0], -1);
}

TEST_F(DeviceEnqueue, SlowChainOfAMillionLaunches) {
  PROVES("EXEC-3.2.3b");
  constexpr const char *Source = R"(
    void step(global int *out, int left) {
      ++out[0];
      if (left > 1)
        out[1] |= enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ step(out, left - 1); });
    }
    kernel void parent(global int *out, int count) { step(out, count); })";
  const int count =
      query<cl_device_type>(clGetDeviceInfo, device, CL_DEVICE_TYPE) == CL_DEVICE_TYPE_CPU ? 1000000 : 10000;
  Queue small = deviceQueue(OnDevice, 4096);
  EXPECT_EQ(clSetDefaultDeviceCommandQueue(context, device, small), CL_SUCCESS);
  Kernel k = kernelOf(Source);
  out = filled(2, 0);
  EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
  EXPECT_EQ(set(k, 1, count), CL_SUCCESS);
  EXPECT_EQ(launch(k, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 2), (std::vector<int>{count, 0}));
}

TEST_F(DeviceEnqueue, TimesOfAChild) {
  PROVES("LANG-1.13.17h");
  constexpr const char *Source = R"(
    void work(global int *out) { for (int i = 0; i < 1000; ++i) atomic_inc(out); }
    kernel void parent(global int *out, global ulong *times) {
      clk_event_t before, after;
      queue_t q = get_default_queue();
      enqueue_kernel(q, 0, ndrange_1D(1), 0, NULL, &before, ^{
        work(out);
        enqueue_kernel(q, 0, ndrange_1D(1), ^{ work(out); });
      });
      capture_event_profiling_info(before, CLK_PROFILING_COMMAND_EXEC_TIME, times);
      enqueue_kernel(q, 0, ndrange_1D(1), 0, NULL, &after, ^{ work(out); });
      enqueue_kernel(q, 0, ndrange_1D(1), 1, &after, NULL, ^{
        capture_event_profiling_info(after, CLK_PROFILING_COMMAND_EXEC_TIME, times + 2);
        times[4] = times[2]; // the times are written before this kernel starts
        release_event(after);
      });
      release_event(before);
    })";
  Kernel k = kernelOf(Source);
  out = filled(1, 0);
  std::vector<cl_ulong> none(5);
  Mem times = buffer(sizeof(cl_ulong) * 5, CL_MEM_COPY_HOST_PTR, none.data());
  EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
  EXPECT_EQ(set(k, 1, times), CL_SUCCESS);
  EXPECT_EQ(launch(k, 1), CL_SUCCESS);
  std::vector<cl_ulong> found = read<cl_ulong>(times, 5);
  EXPECT_GT(found[0], 0u);
  EXPECT_GT(found[1], found[0]); // [1] is the time of COMPLETE, after its own child
  EXPECT_GT(found[2], 0u);
  EXPECT_GE(found[3], found[2]);
  EXPECT_EQ(found[4], found[2]);
  EXPECT_EQ(read<int>(out, 1)[0], 3000);
}

TEST_F(DeviceEnqueue, ChildrenUseProgramVariablesAndPrint) {
  constexpr const char *Source = R"(
    global int counter;
    kernel void parent(global int *out) {
      counter = 10;
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(5), ^{
        if (atomic_inc(&counter) == 12) printf("a child prints %d\n", 13);
        out[get_global_id(0)] = 1;
      });
    }
    kernel void look(global int *out) { out[0] = counter; })";
  testing::internal::CaptureStdout();
  EXPECT_EQ(run(Source, 1, 5), (std::vector<int>{1, 1, 1, 1, 1}));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "a child prints 13\n");
  Kernel look = kernel(program, "look");
  EXPECT_EQ(set(look, 0, out), CL_SUCCESS);
  EXPECT_EQ(launch(look, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], 15);
}

TEST_F(DeviceEnqueue, FromABinary) {
  PROVES("DSE-07");
  constexpr const char *Source = R"(
    kernel void parent(global int *out) {
      enqueue_kernel(get_default_queue(), 0, ndrange_1D(3), ^{ out[get_global_id(0)] = 1; });
      enqueue_kernel(get_default_queue(), 0, ndrange_1D(3), ^{ out[3 + get_global_id(0)] = 2; });
    })";
  Program original = built(Source, "-cl-std=CL3.0");
  std::vector<unsigned char> bytes = binary(original);
  const unsigned char *start = bytes.data();
  size_t size = bytes.size();
  cl_device_id d = device;
  Program again = clCreateProgramWithBinary(context, 1, &d, &size, &start, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(again, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(query<size_t>(clGetProgramInfo, again.get(), CL_PROGRAM_NUM_KERNELS), 1u);
  Kernel k = kernel(again, "parent");
  out = filled(6, -1);
  EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
  EXPECT_EQ(launch(k, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 6), (std::vector<int>{1, 1, 1, 2, 2, 2}));
}

TEST_F(DeviceEnqueue, BlocksOfTwoModules) {
  PROVES("DSE-07 LANG-1.12a");
  constexpr const char *Library = R"(
    int spawn(global int *out, int value) {
      return enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ out[value] = value; });
    })";
  constexpr const char *Main = R"(
    int spawn(global int *out, int value);
    kernel void parent(global int *out) {
      spawn(out, 1);
      enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ out[0] = 7; spawn(out, 2); });
    })";
  Program parts[2] = {source(Library), source(Main)};
  for (Program &part : parts)
    ASSERT_EQ(clCompileProgram(part, 0, nullptr, "-cl-std=CL3.0", 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS)
        << log(part);
  cl_program inputs[2] = {parts[0], parts[1]};
  Program linked = clLinkProgram(context, 0, nullptr, "", 2, inputs, nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  Kernel k = kernel(linked, "parent");
  out = filled(3, -1);
  EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
  EXPECT_EQ(launch(k, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 3), (std::vector<int>{7, 1, 2}));
}

TEST_F(DeviceEnqueue, BlocksAreNotHostKernels) {
  PROVES("DSE-05");
  Kernel k = kernelOf(R"(
    kernel void parent(global int *out) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ out[0] = 1; }); })");
  EXPECT_EQ(queryText(clGetProgramInfo, program.get(), CL_PROGRAM_KERNEL_NAMES), "parent");
  cl_uint count = 0;
  EXPECT_EQ(clCreateKernelsInProgram(program, 0, nullptr, &count), CL_SUCCESS);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(clCreateKernel(program, "__parent_block_invoke_kernel", &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_KERNEL_NAME);
}

TEST_F(DeviceEnqueue, ManyThreadsAndQueues) {
  constexpr const char *Source = R"(
    void spread(global int *out, int level) {
      atomic_inc(out);
      if (level)
        for (int i = 0; i < 3; ++i)
          enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(2), ^{ spread(out, level - 1); });
    }
    kernel void parent(global int *out) { spread(out, 3); })";
  Kernel first = kernelOf(Source);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      Queue own = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
      Kernel k = kernel(program, "parent");
      for (int round = 0; round < 10; ++round) {
        Mem sum = filled(1, 0);
        EXPECT_EQ(set(k, 0, sum), CL_SUCCESS);
        size_t one = 1;
        EXPECT_EQ(clEnqueueNDRangeKernel(own, k, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
        EXPECT_EQ(clFinish(own), CL_SUCCESS);
        int found = 0;
        EXPECT_EQ(clEnqueueReadBuffer(own, sum, CL_TRUE, 0, sizeof found, &found, 0, nullptr, nullptr), CL_SUCCESS);
        EXPECT_EQ(found, 1 + 6 + 36 + 216);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}
} // namespace kiln::test
