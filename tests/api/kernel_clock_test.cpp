// cl_khr_kernel_clock: monotonic clocks in the reported scopes.
#include "base/support/OpenCL.h"
#include "tests/api/ProgramTest.h"
#include <algorithm>

namespace kiln::test {
namespace {

struct KernelClock : WithProgram {
  void SetUp() override {
    WithProgram::SetUp();
    if (IsSkipped())
      return;
    if (clGetDeviceInfo(device, CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR, sizeof scopes, &scopes, nullptr) != CL_SUCCESS)
      GTEST_SKIP() << "the device does not support cl_khr_kernel_clock";
  }
  cl_device_kernel_clock_capabilities_khr scopes = 0;
};

constexpr std::pair<cl_device_kernel_clock_capabilities_khr, const char *> Scopes[] = {
    {CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR, "device"},
    {CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR, "work_group"},
    {CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR, "sub_group"}};

TEST_F(KernelClock, ScopesAreMacrosAndFunctions) {
  PROVES("X-E33");
  EXPECT_NE(scopes, 0u);
  for (auto [bit, scope] : Scopes) {
    std::string text = std::string("#ifdef __opencl_c_kernel_clock_scope_") + scope +
                       "\n#define THERE 1\n#endif\n#if THERE != " + ((scopes & bit) ? "1" : "0") +
                       "\n#error says something else\n#endif\n";
    built(text.c_str(), "-cl-std=CL3.0");
  }
}

// Two clock reads around a long loop must not be merged. The halves of clock_read_hilo are from one read.
TEST_F(KernelClock, Monotonic) {
  PROVES("X-E33");
  for (auto [bit, scope] : Scopes) {
    if (!(scopes & bit))
      continue;
    std::string read = std::string("clock_read_") + scope + "()",
                halves = std::string("clock_read_hilo_") + scope + "()";
    Program program =
        built(("kernel void k(global ulong4 *out, global volatile uint *work) {\n  ulong first = " + read +
               ";\n  for (int i = 0; i < 1000; ++i)\n    work[get_global_id(0)] += i;\n  ulong second = " + read +
               ";\n  uint2 third = " + halves +
               ";\n  out[get_global_id(0)] = "
               "(ulong4)(first, second, (ulong)third.y << 32 | third.x, " +
               read + ");\n}\n")
                  .c_str(),
              "-cl-std=CL3.0");
    Kernel k = kernel(program, "k");
    Mem out = buffer(64 * sizeof(cl_ulong4)), work = buffer(64 * 4);
    set(k, 0, out);
    set(k, 1, work);
    ASSERT_EQ(launch(k, 64), CL_SUCCESS);
    for (const cl_ulong4 &times : this->read<cl_ulong4>(out, 64)) {
      EXPECT_LT(times.s[0], times.s[1]) << scope;
      EXPECT_LE(times.s[1], times.s[2]) << scope;
      EXPECT_LE(times.s[2], times.s[3]) << scope;
    }
  }
}

// The device scope has one clock per device: later launches read later times.
TEST_F(KernelClock, OfTheDeviceIncreasesAcrossLaunches) {
  PROVES("X-E33");
  if (!(scopes & CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR))
    GTEST_SKIP() << "the device has no clock of device scope";
  Program program =
      built("kernel void k(global ulong *out) { out[get_global_id(0)] = clock_read_device(); }", "-cl-std=CL3.0");
  Kernel k = kernel(program, "k");
  Mem out = buffer(4096 * 8);
  set(k, 0, out);
  cl_ulong latest = 0;
  for (int round = 0; round < 8; ++round) {
    size_t local = 64;
    ASSERT_EQ(launch(k, 4096, &local), CL_SUCCESS);
    std::vector<cl_ulong> times = read<cl_ulong>(out, 4096);
    EXPECT_LE(latest, *std::min_element(times.begin(), times.end()));
    latest = *std::max_element(times.begin(), times.end());
  }
}

} // namespace
} // namespace kiln::test
