// `assert` in OpenCL C: a failed assertion prints, and ends its launch with an error; others go on. On a GPU no
// hardware trap is executed, so the device stays usable.
#include "tests/process/FaultTest.h"
#include <algorithm>

namespace kiln::test {
namespace {

constexpr const char *Positive = "kernel void k(global int *p, int odd) {\n"
                                 "  const size_t i = get_global_id(0);\n"
                                 "  assert(p[i] >= 0 && odd);\n"
                                 "  p[i] += 1;\n}\n";

struct Assert : FaultTest {
  /// The status of a launch whose work-item 37 reads a negative number. `output` returns what it printed.
  cl_int statusOfLaunch(const char *options, const char *source = Positive, cl_device_type type = CL_DEVICE_TYPE_CPU) {
    App app(type);
    const cl_queue_properties onDevice[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        0};
    Queue blocks = clCreateCommandQueueWithProperties(app.context, app.device, onDevice, nullptr);
    Program program = app.source(source);
    EXPECT_EQ(app.build(program, options), CL_SUCCESS) << app.log(program);
    Kernel kernel = clCreateKernel(program, "k", nullptr);
    std::vector<int> values(64, 1);
    values[37] = -5;
    Mem memory = clCreateBuffer(app.context, CL_MEM_COPY_HOST_PTR, values.size() * sizeof(int), values.data(), nullptr);
    const int odd = 1;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), memory.address()), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof odd, &odd), CL_SUCCESS);
    freopen((folder + "/output").c_str(), "w", stdout);
    const cl_int status = statusOf(app, kernel, values.size());
    EXPECT_TRUE(app.works(9));
    return status;
  }
  std::string output() const { return contentOf(folder + "/output"); }
  /// The same on an emulated GPU.
  void expectFailsOnGpu(const char *processor, const char *source, const char *options = nullptr,
                        const char *checks = "on") {
    expectExit(0, FaultTest::statusOf(
                      [&] { EXPECT_EQ(statusOfLaunch(options, source, CL_DEVICE_TYPE_GPU), CL_OUT_OF_RESOURCES); },
                      {{"KILN_DEVICES", "hip"},
                       {"KILN_HIP_LIBRARY", KILN_EMULATOR},
                       {"KILN_EMULATED_GPU", processor},
                       {"KILN_EMULATOR_CHECKS", checks}}));
  }
};

TEST_F(Assert, EndsTheLaunch) {
  for (const char *width : {"1", "0"}) {
    expectExit(0, FaultTest::statusOf([&] { EXPECT_EQ(statusOfLaunch(nullptr), CL_OUT_OF_RESOURCES); },
                                      {{"KILN_CPU_MACHINE_WIDTH", width}}));
    EXPECT_EQ(output(), "<source>:3: assertion failed: p[i] >= 0 && odd; work-item with global id (37, 0, 0)\n");
    EXPECT_TRUE(says("kernel k: SIGILL, a trap or an invalid instruction")) << errors;
    EXPECT_TRUE(says("; replayed: <source>:3 (assert(p[i] >= 0 && odd);), work-item with global id (37)")) << errors;
  }
}

TEST_F(Assert, IsSwitchedOffByNdebug) {
  expectExit(0, FaultTest::statusOf([&] { EXPECT_EQ(statusOfLaunch("-DNDEBUG"), CL_COMPLETE); }));
  EXPECT_EQ(output(), "");
  EXPECT_EQ(lines(), 0u) << errors;
}

TEST_F(Assert, WithItsHeader) {
  expectExit(0, FaultTest::statusOf([&] {
               EXPECT_EQ(statusOfLaunch(nullptr, (std::string("#include <assert.h>\n") + Positive).c_str()),
                         CL_OUT_OF_RESOURCES);
             }));
  EXPECT_EQ(output(), "<source>:4: assertion failed: p[i] >= 0 && odd; work-item with global id (37, 0, 0)\n");
}

TEST_F(Assert, OnGpus) {
  for (const char *processor : {"gfx942", "gfx1100"}) { // waves of 64 and of 32 work-items
    SCOPED_TRACE(processor);
    expectFailsOnGpu(processor, Positive);
    EXPECT_EQ(output(), "<source>:3: assertion failed: p[i] >= 0 && odd; work-item with global id (37, 0, 0)\n");
    EXPECT_TRUE(says("kernel k failed with -5: device 0, ")) << errors;
    const bool isWide = processor == std::string("gfx942"); // groups are of one wave
    EXPECT_TRUE(says(std::string(": a failed assertion or a trap: work-item with global id (37), local id ") +
                     (isWide ? "(37), group id (0)" : "(5), group id (1)") +
                     "; it printed: " + output().substr(0, output().size() - 1) + "; enqueued at "))
        << errors;
  }
}

// Of many work-items that fail, one prints.
TEST_F(Assert, OnceForALaunchOnAGpu) {
  expectFailsOnGpu("gfx1100", "kernel void k(global int *p, int odd) {\n  assert(get_global_id(0) < 1);\n}\n");
  EXPECT_EQ(std::ranges::count(output(), '\n'), 1) << output();
  EXPECT_TRUE(output().starts_with("<source>:2: assertion failed: get_global_id(0) < 1; work-item with global id ("));
  EXPECT_TRUE(says(", and 62 others; it printed: <source>:2: assertion failed: get_global_id(0) < 1; ")) << errors;
}

// Work-items that have failed come to no barrier: those of the same wave that have not, go on.
TEST_F(Assert, BeforeABarrierOnAGpu) {
  expectFailsOnGpu("gfx942", "kernel void k(global int *p, int odd) {\n"
                             "  local int shared[64];\n"
                             "  for (int i = 0; i < 4; ++i) {\n"
                             "    assert(p[get_global_id(0)] + i < 4);\n"
                             "    shared[get_local_id(0)] = p[get_global_id(0)];\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    p[get_global_id(0)] = shared[get_local_id(0) ^ 1];\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n"
                             "  assert(p[get_global_id(0)] >= 0);\n}\n");
  EXPECT_TRUE(output().starts_with("<source>:4: assertion failed: ")) << output();
}

// The launch of the parent fails as well.
TEST_F(Assert, InABlockOnAGpu) {
  for (const std::string statement : {"assert(p[37] > 0)", "if (p[37] < 0) __builtin_trap()"}) {
    SCOPED_TRACE(statement);
    expectFailsOnGpu("gfx942",
                     ("kernel void k(global int *p, int odd) {\n"
                      "  if (get_global_id(0) == 0)\n"
                      "    enqueue_kernel(get_default_queue(), 0, ndrange_1D(5, 2), ^{\n"
                      "      if (get_global_id(0) == 4) { " +
                      statement + "; }\n      p[get_global_id(0)] = odd; });\n}\n")
                         .c_str(),
                     "-cl-std=CL3.0");
    EXPECT_TRUE(says(" failed with -5: device 0, ")) << errors;
    EXPECT_TRUE(says(": a failed assertion or a trap: work-item with global id (4), local id (0), group id (2)"))
        << errors;
    EXPECT_EQ(output().starts_with("<source>:4: assertion failed: p[37] > 0; work-item with global id (4, 0, 0)"),
              statement.starts_with("assert"));
  }
}

// A whole wave fails, and the others come to the barrier.
TEST_F(Assert, AWholeWaveBeforeABarrierOnAGpu) {
  expectFailsOnGpu("gfx1100",
                   "kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(global int *p, int odd) {\n"
                   "  assert(get_global_id(0) < 32 && odd);\n"
                   "  barrier(CLK_GLOBAL_MEM_FENCE);\n"
                   "  p[get_global_id(0)] = p[get_global_id(0) ^ 1];\n}\n",
                   nullptr, "off");
  EXPECT_TRUE(output().starts_with("<source>:2: assertion failed: ")) << output();
  EXPECT_TRUE(says(", and 31 others; it printed: ")) << errors;
}

// What a kernel has printed before a fault is there as well.
TEST_F(Assert, OutputBeforeAFault) {
  expectExit(0, FaultTest::statusOf([&] {
               EXPECT_EQ(statusOfLaunch(nullptr, "kernel void k(global int *p, int odd) {\n"
                                                 "  if (get_global_id(0) != 37) return;\n"
                                                 "  printf(\"before\\n\");\n  p[-(1L << 34)] = odd;\n}\n"),
                         CL_OUT_OF_RESOURCES);
             }));
  EXPECT_EQ(output(), "before\n");
}

TEST_F(Assert, BuiltinTrap) {
  for (const char *width : {"1", "0"}) {
    expectExit(0,
               FaultTest::statusOf(
                   [&] {
                     EXPECT_EQ(statusOfLaunch(nullptr, "void check(int x) {\n  if (x < 0)\n    __builtin_trap();\n}\n"
                                                       "kernel void k(global int *p, int odd) {\n"
                                                       "  check(p[get_global_id(0)]);\n"
                                                       "  p[get_global_id(0)] += odd;\n}\n"),
                               CL_OUT_OF_RESOURCES);
                   },
                   {{"KILN_CPU_MACHINE_WIDTH", width}}));
    EXPECT_TRUE(says("; replayed: <source>:3 (__builtin_trap();), called at <source>:6, work-item with global id (37)"))
        << errors;
  }
  expectFailsOnGpu("gfx1100", "void check(int x) {\n  if (x < 0)\n    __builtin_trap();\n}\n"
                              "kernel void k(global int *p, int odd) {\n"
                              "  check(p[get_global_id(0)]);\n  p[get_global_id(0)] += odd;\n}\n");
  EXPECT_EQ(output(), "");
  EXPECT_TRUE(
      says(": a failed assertion or a trap: work-item with global id (37), local id (5), group id (1); enqueued"))
      << errors;
}

} // namespace
} // namespace kiln::test
