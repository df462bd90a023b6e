// KILN_CHECK=init: what the host writes counts as written. tests/e2e/check_init.cl has the kinds of accesses.
#include "tests/process/ProcessTest.h"

namespace kiln::test {
namespace {

constexpr size_t Ints = 1024, Bytes = Ints * sizeof(int);
constexpr const char *Source = "kernel void copy(global int *to, global const int *from) {\n"
                               "  size_t i = get_global_id(0);\n"
                               "  to[i] = from[i];\n}\n"
                               "kernel void fill(global int *to) { to[get_global_id(0)] = 3; }\n";

struct CheckInit : ProcessTest {
  struct Bench : App {
    Program program;
    Mem from, to;
    Bench() {
      program = source(Source);
      EXPECT_EQ(build(program), CL_SUCCESS) << log(program);
      from = clCreateBuffer(context, CL_MEM_READ_WRITE, Bytes, nullptr, nullptr);
      to = clCreateBuffer(context, CL_MEM_READ_WRITE, Bytes, nullptr, nullptr);
    }
    void launch(const char *name, const Mem &first, const Mem *second, size_t items) const {
      Kernel kernel = clCreateKernel(program, name, nullptr);
      EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), first.address()), CL_SUCCESS);
      if (second)
        EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), second->address()), CL_SUCCESS);
      EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    }
    void copy(size_t items = Ints) const {
      launch("copy", to, &from, items);
      EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    }
  };
  void check(const std::function<void(Bench &)> &situation) {
    inNewProcessWithErrors(
        [&] {
          Bench bench;
          situation(bench);
        },
        {{"KILN_CHECK", "init"}, {"KILN_CPU_THREADS", "1"}});
  }
  void expectReport(const std::string &words) const {
    EXPECT_NE(errors.find(words), std::string::npos) << words << "\n" << errors;
  }
  void expectNothing() const { EXPECT_EQ(errors.find("check:"), std::string::npos) << errors; }
};

TEST_F(CheckInit, NothingIsWritten) {
  check([](Bench &bench) { bench.copy(); });
  expectReport("kernel copy reads memory that was never written: the buffer of argument 1 (from): byte 0");
  expectReport("line 3: to[i] = from[i];");
}

TEST_F(CheckInit, WriteOfAPart) {
  check([](Bench &bench) {
    std::vector<int> data(Ints, 5);
    EXPECT_EQ(clEnqueueWriteBuffer(bench.queue, bench.from, CL_TRUE, 0, Bytes / 2, data.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    bench.copy(Ints / 2);
    bench.copy();
  });
  expectReport("kernel copy reads memory that was never written: the buffer of argument 1 (from): byte 2048");
  expectReport("work-item (512)");
}

TEST_F(CheckInit, FillCopyAndKernel) {
  check([](Bench &bench) {
    const int one = 1;
    EXPECT_EQ(clEnqueueFillBuffer(bench.queue, bench.from, &one, sizeof one, 0, Bytes / 4, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(clEnqueueCopyBuffer(bench.queue, bench.from, bench.from, 0, Bytes / 4, Bytes / 4, 0, nullptr, nullptr),
              CL_SUCCESS);
    bench.copy(Ints / 2);
    bench.launch("fill", bench.from, nullptr, Ints);
    bench.copy();
  });
  expectNothing();
}

TEST_F(CheckInit, Map) {
  check([](Bench &bench) {
    void *mapped =
        clEnqueueMapBuffer(bench.queue, bench.from, CL_TRUE, CL_MAP_WRITE, 0, Bytes, 0, nullptr, nullptr, nullptr);
    memset(mapped, 0, Bytes);
    EXPECT_EQ(clEnqueueUnmapMemObject(bench.queue, bench.from, mapped, 0, nullptr, nullptr), CL_SUCCESS);
    bench.copy();
  });
  expectNothing();
}

TEST_F(CheckInit, SubBufferOfAWrittenHalf) {
  check([](Bench &bench) {
    std::vector<int> data(Ints, 5);
    EXPECT_EQ(clEnqueueWriteBuffer(bench.queue, bench.from, CL_TRUE, 0, Bytes / 2, data.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    const cl_buffer_region first{0, Bytes / 2}, second{Bytes / 2, Bytes / 2};
    Mem written = clCreateSubBuffer(bench.from, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &first, nullptr);
    Mem other = clCreateSubBuffer(bench.from, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &second, nullptr);
    bench.launch("copy", bench.to, &written, Ints / 2);
    EXPECT_EQ(clFinish(bench.queue), CL_SUCCESS);
    bench.launch("copy", bench.to, &other, Ints / 2);
    EXPECT_EQ(clFinish(bench.queue), CL_SUCCESS);
  });
  expectReport("the sub-buffer of argument 1 (from): byte 0");
  expectReport("check: 1 findings");
}

} // namespace
} // namespace kiln::test
