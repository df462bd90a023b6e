// `assert` in OpenCL C on the CPU: a failed assertion prints, and ends its launch with an error; others go on.
#include "tests/process/FaultTest.h"

namespace kiln::test {
namespace {

constexpr const char *Positive = "kernel void k(global int *p, int odd) {\n"
                                 "  const size_t i = get_global_id(0);\n"
                                 "  assert(p[i] >= 0 && odd);\n"
                                 "  p[i] += 1;\n}\n";

struct Assert : FaultTest {
  /// The status of a launch whose work-item 37 reads a negative number. `printed` gets standard output.
  cl_int statusOfLaunch(const char *options, const char *source = Positive) {
    App app;
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
}

} // namespace
} // namespace kiln::test
