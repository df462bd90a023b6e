// enqueue_kernel: its four forms, the children that they start, and its errors.
#include "tests/api/DeviceEnqueueTest.h"
#include <thread>

namespace kiln::test {

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

} // namespace kiln::test
