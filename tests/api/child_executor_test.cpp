// Which children a GPU runs itself, and which ones it leaves to the host (docs/device-enqueue.md). Both give the same
// results, so the tests read the log: ctest runs this file with KILN_LOG=debug,program on an emulated GPU. The tests
// are skipped without this setting, and on a device that is not a GPU.
#include "tests/api/ProgramTest.h"

namespace kiln::test {
namespace {

struct ChildExecutor : WithProgram {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithProgram::SetUp());
    const char *log = getenv("KILN_LOG");
    if (!log || std::string(log) != "debug,program")
      GTEST_SKIP() << "needs KILN_LOG=debug,program, to find out which children were left to the host";
    if (query<cl_device_type>(clGetDeviceInfo, device, CL_DEVICE_TYPE) != CL_DEVICE_TYPE_GPU)
      GTEST_SKIP() << "the device is no GPU";
    const cl_queue_properties list[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        0};
    cl_int code = 1;
    standard = clCreateCommandQueueWithProperties(context, device, list, &code);
    ASSERT_EQ(code, CL_SUCCESS);
  }
  /// Runs the statements, which enqueue children, in a kernel with the arguments `out`, whose ints are -1, and `value`,
  /// which is 7. Returns what the log says about children that were left to the host.
  std::string reasons(const std::string &statements, std::vector<int> &result) {
    const std::string text = "kernel void parent(global int *out, int value) {\n"
                             "queue_t q = get_default_queue();\n" +
                             statements + "\n}";
    Program program = built(text.c_str(), "-cl-std=CL3.0");
    Kernel parent = kernel(program, "parent");
    std::fill(result.begin(), result.end(), -1);
    Mem out = buffer(result.size() * sizeof(int), CL_MEM_COPY_HOST_PTR, result.data());
    EXPECT_EQ(set(parent, 0, out), CL_SUCCESS);
    EXPECT_EQ(set(parent, 1, 7), CL_SUCCESS);
    testing::internal::CaptureStderr();
    EXPECT_EQ(launch(parent, 1), CL_SUCCESS);
    result = read<int>(out, result.size());
    const std::string log = testing::internal::GetCapturedStderr(), begin = "left a child to the host: ";
    std::string all;
    for (size_t at = 0; (at = log.find(begin, at)) != std::string::npos;) {
      at += begin.size();
      all += log.substr(at, log.find('\n', at) + 1 - at);
    }
    return all;
  }
  Queue standard;
};

TEST_F(ChildExecutor, RunsWithoutTheHost) {
  PROVES("DSE-06 DSE-13");
  for (const char *statements : {
           // Captured bytes that are no multiple of their alignment: a pointer and an int, or a char.
           "enqueue_kernel(q, 0, ndrange_1D(4), ^{ out[get_global_id(0)] = value; });",
           "char c = value; enqueue_kernel(q, 0, ndrange_1D(4), ^{ out[get_global_id(0)] = c; });",
           "long4 v = value; enqueue_kernel(q, 0, ndrange_1D(4), ^{ out[get_global_id(0)] = v[get_global_id(0)]; });",
           // A child of a child.
           "enqueue_kernel(q, 0, ndrange_1D(1), ^{"
           "  enqueue_kernel(get_default_queue(), 0, ndrange_1D(4), ^{ out[get_global_id(0)] = value; }); });",
           // A barrier and local memory.
           "enqueue_kernel(q, 0, ndrange_1D(4, 4), ^(local void *memory) {"
           "  local int *items = memory; int i = get_local_id(0); items[i] = value; barrier(CLK_LOCAL_MEM_FENCE);"
           "  out[i] = items[3 - i]; }, 16);",
           // An event.
           "clk_event_t first;"
           "enqueue_kernel(q, 0, ndrange_1D(1), 0, 0, &first, ^{ out[3] = value; });"
           "enqueue_kernel(q, 0, ndrange_1D(4), 1, &first, 0, ^{"
           "  int i = get_global_id(0); if (i < 3) out[i] = out[3]; });"
           "release_event(first);",
       }) {
    SCOPED_TRACE(statements);
    std::vector<int> result(4);
    EXPECT_EQ(reasons(statements, result), "");
    EXPECT_EQ(result, std::vector<int>(4, 7));
  }
}

TEST_F(ChildExecutor, LeavesToTheHost) {
  PROVES("DSE-13");
  struct {
    const char *statements, *reason;
  } const kinds[] = {
      // Beside a block that can be run: a program without one has no executor.
      {"enqueue_kernel(q, 0, ndrange_1D(1), ^{});"
       "enqueue_kernel(q, 0, ndrange_1D(4, 4), ^{ out[get_global_id(0)] = work_group_all(1) * value; });",
       "the block prints, has functions of groups, or has more local variables than the executor\n"},
      {"enqueue_kernel(q, 0, ndrange_1D(4), ^(local void *memory) { out[get_global_id(0)] = value; }, 20000);",
       "its local arguments have more bytes than ExecutorLocalBytes\n"},
      {"enqueue_kernel(q, 0, ndrange_1D(5, 3), ^{ barrier(0); if (get_global_id(0) < 4) out[get_global_id(0)] = 7; });",
       "the executor has no barriers for its local size\n"},
      {"enqueue_kernel(q, 0, ndrange_1D(131073), ^{ if (get_global_id(0) < 4) out[get_global_id(0)] = value; });",
       "it has more work-items than MaxExecutorItems\n"},
      {"size_t sizes[] = {400, 400};"
       "enqueue_kernel(q, 0, ndrange_2D(sizes), ^{ if (get_global_id(1) == 399) out[get_global_id(0) % 4] = value; });",
       "it has more work-items than MaxExecutorItems\n"},
  };
  for (const auto &kind : kinds) {
    SCOPED_TRACE(kind.statements);
    std::vector<int> result(4);
    EXPECT_EQ(reasons(kind.statements, result), kind.reason);
    EXPECT_EQ(result, std::vector<int>(4, 7));
  }
}

} // namespace
} // namespace kiln::test
