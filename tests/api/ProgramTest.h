// Programs for tests: small sources, built for Kiln's device.
#pragma once
#include "tests/api/EnqueueRules.h"
#include <fstream>
#include <iterator>

namespace kiln::test {

inline constexpr const char *AddSource = R"(
kernel void add(global const int *a, global const int *b, global int *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}
)";

struct WithProgram : EnqueueTest {
  Program source(const char *text, cl_context in = nullptr) {
    cl_int code = 1;
    Program made = clCreateProgramWithSource(in ? in : context.get(), 1, &text, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return made;
  }
  std::string log(cl_program program) {
    return queryText(clGetProgramBuildInfo, program, device, CL_PROGRAM_BUILD_LOG);
  }
  Program built(const char *text, const char *options = nullptr) {
    Program program = source(text);
    EXPECT_EQ(clBuildProgram(program, 0, nullptr, options, nullptr, nullptr), CL_SUCCESS) << log(program);
    return program;
  }
  Kernel kernel(cl_program program, const char *name) {
    cl_int code = 1;
    Kernel made = clCreateKernel(program, name, &code);
    EXPECT_EQ(code, CL_SUCCESS) << name;
    return made;
  }
  template <typename T> cl_int set(cl_kernel kernel, cl_uint index, const T &value) {
    return clSetKernelArg(kernel, index, sizeof value, &value);
  }
  cl_int set(cl_kernel kernel, cl_uint index, const Mem &value) {
    return clSetKernelArg(kernel, index, sizeof(cl_mem), value.address());
  }
  cl_int launch(cl_kernel kernel, size_t global, const size_t *local = nullptr, cl_event *event = nullptr) {
    return clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, local, 0, nullptr, event);
  }
  cl_build_status buildStatus(cl_program program) {
    return query<cl_build_status>(clGetProgramBuildInfo, program, device, CL_PROGRAM_BUILD_STATUS);
  }
  cl_program_binary_type binaryType(cl_program program) {
    return query<cl_program_binary_type>(clGetProgramBuildInfo, program, device, CL_PROGRAM_BINARY_TYPE);
  }
  std::vector<unsigned char> binary(cl_program program) {
    size_t size = query<size_t>(clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES);
    std::vector<unsigned char> bytes(size);
    unsigned char *target = bytes.data();
    EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof target, &target, nullptr), CL_SUCCESS);
    return bytes;
  }
  /// Reads the SPIR-V module that the build has assembled from tests/api/<name>.spvasm.
  std::vector<char> module(const std::string &name) {
    std::ifstream in(std::string(KILN_TEST_DATA "/") + name + ".spv", std::ios::binary);
    EXPECT_TRUE(in.good()) << name;
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Checks that the program's kernel `add` computes c = a + b for 64 ints.
  void expectAdds(cl_program program) {
    std::vector<int> a = numbers(64), b = numbers(64, 1000), expected(64);
    for (int i = 0; i < 64; ++i)
      expected[i] = a[i] + b[i];
    Mem first = buffer(256, CL_MEM_COPY_HOST_PTR, a.data()), second = buffer(256, CL_MEM_COPY_HOST_PTR, b.data()),
        sum = buffer(256);
    Kernel add = kernel(program, "add");
    ASSERT_NE(add, nullptr);
    EXPECT_EQ(set(add, 0, first), CL_SUCCESS);
    EXPECT_EQ(set(add, 1, second), CL_SUCCESS);
    EXPECT_EQ(set(add, 2, sum), CL_SUCCESS);
    ASSERT_EQ(launch(add, 64), CL_SUCCESS);
    EXPECT_EQ(read<int>(sum, 64), expected);
  }
};

} // namespace kiln::test
