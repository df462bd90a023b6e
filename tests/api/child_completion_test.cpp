// A launch and its descendants: when they are complete, fail, wait for events, and what they share.
#include "tests/api/DeviceEnqueueTest.h"
#include <thread>

namespace kiln::test {

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
  EXPECT_EQ(runFailing(Source, 3), (std::vector<int>{0, -1, 1}));
  EXPECT_EQ(code, CL_OUT_OF_RESOURCES);
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
  EXPECT_EQ(runFailing(Source, 2), (std::vector<int>{-1, -1}));
}

TEST_F(DeviceEnqueue, UserEventThatIsNeverSet) {
  constexpr const char *Source = R"(
    kernel void parent(global int *out) {
      clk_event_t user = create_user_event();
      enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &user, NULL, ^{ out[0] = 1; });
      release_event(user);
    })";
  EXPECT_EQ(runFailing(Source, 1)[0], -1);
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
