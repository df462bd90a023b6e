// Repeated launches with the same local size get a specialised variant, compiled in the background, if the kernel gains
// from it. The results must not change.
//
// The log shows that a variant is ready, so ctest runs this file with KILN_LOG=info,program. Without it the tests are
// skipped.
#include "tests/api/LogFile.h"
#include "tests/api/ProgramTest.h"
#include <chrono>
#include <thread>

namespace kiln::test {

struct LocalSizeVariants : WithProgram {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithProgram::SetUp());
    const char *log = getenv("KILN_LOG");
    if (!IsSkipped() && (!log || std::string(log).find("program") == std::string::npos))
      GTEST_SKIP() << "needs KILN_LOG=info,program, to find out when a variant is ready";
  }
  static constexpr const char *Text = R"(
kernel void mix(global uint *out, uint rounds, local uint *room) {
  const uint item = get_local_id(1) * get_local_size(0) + get_local_id(0), items = get_local_size(0) * get_local_size(1);
  uint x = get_global_id(0) * 31 + get_global_id(1);
  for (uint i = 0; i < rounds; ++i) {
    room[item] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x = x * 1664525 + room[(item + i + 1) % items];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const size_t column = get_global_id(0) - get_global_offset(0), row = get_global_id(1) - get_global_offset(1);
  out[row * get_global_size(0) + column] = x;
}
)";
  struct Size {
    size_t x, y;
  };
  std::vector<cl_uint> launched(cl_kernel mix, Size global, Size local) {
    const size_t count = global.x * global.y, offset[] = {3, 5}, globals[] = {global.x, global.y},
                 locals[] = {local.x, local.y};
    Mem out = buffer(4 * count);
    EXPECT_EQ(set(mix, 0, out), CL_SUCCESS);
    EXPECT_EQ(set(mix, 1, cl_uint(11)), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(mix, 2, 4 * local.x * local.y, nullptr), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, mix, 2, offset, globals, locals, 0, nullptr, nullptr), CL_SUCCESS);
    return read<cl_uint>(out, count);
  }
};

TEST_F(LocalSizeVariants, SameResults) {
  PROVES("API-5.10a");
  LogFile log;
  Program program = built(Text, "-cl-std=CL2.0");
  Kernel mix = kernel(program, "mix");
  for (Size local : {Size{32, 2}, {16, 4}, {128, 1}, {7, 3}}) {
    const std::string size = std::to_string(local.x) + "x" + std::to_string(local.y) + "x1";
    SCOPED_TRACE(size);
    const Size whole{4 * local.x, 3 * local.y}, partial{4 * local.x + 1, 3 * local.y};
    const std::vector<cl_uint> ofWhole = launched(mix, whole, local), ofPartial = launched(mix, partial, local);
    const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!countOf(log.text(), "for local size " + size + " is ready")) {
      ASSERT_EQ(launched(mix, whole, local), ofWhole);
      ASSERT_LT(std::chrono::steady_clock::now(), last) << "no variant: " << log.text();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    // The line is logged right before the variant is used.
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(launched(mix, whole, local), ofWhole);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(launched(mix, partial, local), ofPartial);
  }
}

} // namespace kiln::test
