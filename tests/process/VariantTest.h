// What tests of variants share: a kernel that is launched again and again, in a process that reads its own log to see
// which variants are ready.
#pragma once
#include "tests/process/ProcessTest.h"
#include <chrono>
#include <cstdio>

namespace kiln::test {

/// An application with one kernel, whose first argument is a buffer with a word for each work-item.
struct LaunchedKernel {
  static constexpr size_t Items = 1 << 14, Local = 64;

  LaunchedKernel(const std::string &source, const char *name) : program(app.source(source)) { prepare(name); }
  LaunchedKernel(const std::vector<unsigned char> &binary, const char *name) {
    const size_t size = binary.size();
    const unsigned char *bytes = binary.data();
    cl_int code = 1;
    program = clCreateProgramWithBinary(app.context, 1, &app.device, &size, &bytes, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    prepare(name);
  }
  std::vector<unsigned char> binary() const {
    size_t size = 0;
    EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr), CL_SUCCESS);
    std::vector<unsigned char> bytes(size);
    unsigned char *data = bytes.data();
    EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, nullptr), CL_SUCCESS);
    return bytes;
  }
  void set(cl_uint argument, unsigned value) const {
    EXPECT_EQ(clSetKernelArg(kernel, argument, sizeof value, &value), CL_SUCCESS);
  }
  /// A word of local memory for each work-item of a group.
  void setLocal(cl_uint argument) const {
    EXPECT_EQ(clSetKernelArg(kernel, argument, Local * sizeof(cl_uint), nullptr), CL_SUCCESS);
  }
  void launch() const {
    EXPECT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &Items, &Local, 0, nullptr, nullptr), CL_SUCCESS);
  }
  /// Waits for the launches.
  std::vector<unsigned> results() const {
    std::vector<unsigned> words(Items);
    EXPECT_EQ(
        clEnqueueReadBuffer(app.queue, buffer, CL_TRUE, 0, Items * sizeof(cl_uint), words.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    return words;
  }

  App app;
  Program program;
  Kernel kernel;
  Mem buffer;

private:
  void prepare(const char *name) {
    EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
    cl_int code = 1;
    kernel = clCreateKernel(program, name, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    buffer = clCreateBuffer(app.context, 0, Items * sizeof(cl_uint), nullptr, &code);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.address()), CL_SUCCESS);
  }
};

struct VariantTest : ProcessTest {
  using Clock = std::chrono::steady_clock;
  static Clock::time_point in(double seconds) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  /// Runs a situation in a new process whose standard error goes to `log`, which the situation may read. Without
  /// compilers, the start of one ends the process.
  void runLogged(const std::function<void()> &situation, const Environment &environment, bool compilers = true) {
    inNewProcess(
        [&] {
          ASSERT_NE(freopen(log().c_str(), "w", stderr), nullptr);
          if (!compilers) {
            leaveAtOnce();
            refuse(Refusal::AllKills);
          }
          situation();
        },
        environment);
    errors = contentOf(log());
  }
  std::string log() const { return folder + "/log"; }
  bool isLogged(const char *text) const { return contentOf(log()).find(text) != std::string::npos; }
};

} // namespace kiln::test
