// Fixture of the pipe tests; skipped on devices without pipes.
#pragma once
#include "tests/api/ProgramTest.h"

namespace kiln::test {

struct WithPipes : WithProgram {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithProgram::SetUp());
    if (query<cl_bool>(clGetDeviceInfo, device, CL_DEVICE_PIPE_SUPPORT))
      return;
    cl_int code = 1;
    EXPECT_EQ(clCreatePipe(context, 0, 4, 16, nullptr, &code), nullptr);
    EXPECT_EQ(code, CL_INVALID_OPERATION);
    GTEST_SKIP() << "the device has no pipes";
  }
  Mem pipe(cl_uint packetSize, cl_uint maxPackets, cl_context in = nullptr) {
    cl_int code = 1;
    Mem made = clCreatePipe(in ? in : context.get(), 0, packetSize, maxPackets, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return made;
  }
  Program builtWithPipes(const std::string &text) { return built(text.c_str(), "-cl-std=CL3.0"); }
};

} // namespace kiln::test
