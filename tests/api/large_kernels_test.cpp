// Kernels with many arguments, up to CL_DEVICE_MAX_PARAMETER_SIZE and beyond.
#include "tests/api/ProgramTest.h"

namespace kiln::test {
namespace {

struct ManyArguments : WithProgram {
  size_t room() { return query<size_t>(clGetDeviceInfo, device, CL_DEVICE_MAX_PARAMETER_SIZE); }
  /// The source of a kernel `sum` with an output pointer and `count` int arguments, which it adds.
  static std::string sumOf(size_t count) {
    std::string parameters, body;
    for (size_t i = 0; i < count; ++i) {
      parameters += ", int a" + std::to_string(i);
      body += " + a" + std::to_string(i);
    }
    return "kernel void sum(global int *out" + parameters + ") { out[0] = 0" + body + "; }";
  }
};

} // namespace

TEST_F(ManyArguments, MaxParameterSize) {
  PROVES("API-5.9.2a API-5.9.2d");
  size_t count = (room() - sizeof(cl_mem)) / sizeof(cl_int);
  ASSERT_GT(count, 250u);
  Program program = built(sumOf(count).c_str());
  Kernel sum = kernel(program, "sum");
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(query<cl_uint>(clGetKernelInfo, sum.get(), CL_KERNEL_NUM_ARGS), count + 1);
  Mem out = buffer(4);
  EXPECT_EQ(set(sum, 0, out), CL_SUCCESS);
  for (size_t i = 0; i < count; ++i)
    ASSERT_EQ(set(sum, cl_uint(i + 1), cl_int(i)), CL_SUCCESS);
  ASSERT_EQ(launch(sum, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], int(count * (count - 1) / 2));
}

TEST_F(ManyArguments, OneMoreFailsTheBuildWithALog) {
  PROVES("API-5.9.2d");
  size_t count = (room() - sizeof(cl_mem)) / sizeof(cl_int);
  Program program = source(sumOf(count + 1).c_str());
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_NE(log(program).find("bytes of arguments"), std::string::npos) << log(program);
  EXPECT_NE(log(program).find("sum"), std::string::npos) << log(program);
}

TEST_F(ManyArguments, BuffersAndLocalMemory) {
  PROVES("API-5.9.2a");
  constexpr size_t Count = 60;
  std::string parameters, body;
  for (size_t i = 0; i < Count; ++i) {
    std::string n = std::to_string(i);
    parameters.append(", global const int *b").append(n).append(", local int *l").append(n);
    body.append("  l").append(n).append("[get_local_id(0)] = b").append(n).append("[get_local_id(0)];\n");
    body.append("  barrier(CLK_LOCAL_MEM_FENCE);\n  total += l").append(n).append("[3 - get_local_id(0)];\n");
  }
  Program program = built(("kernel void sum(global int *out" + parameters + ") {\n  int total = 0;\n" + body +
                           "  out[get_global_id(0)] = total;\n}")
                              .c_str());
  Kernel sum = kernel(program, "sum");
  ASSERT_NE(sum, nullptr);
  Mem out = buffer(16);
  set(sum, 0, out);
  std::vector<Mem> inputs;
  std::vector<int> expected(4);
  for (size_t i = 0; i < Count; ++i) {
    std::vector<int> data = numbers(4, int(100 * i));
    for (size_t j = 0; j < 4; ++j)
      expected[j] += data[3 - j];
    inputs.push_back(buffer(16, CL_MEM_COPY_HOST_PTR, data.data()));
    ASSERT_EQ(set(sum, cl_uint(2 * i + 1), inputs.back()), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(sum, cl_uint(2 * i + 2), 16, nullptr), CL_SUCCESS);
  }
  size_t local = 4;
  ASSERT_EQ(launch(sum, 4, &local), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 4), expected);
}

TEST_F(ManyArguments, LargeStruct) {
  PROVES("API-5.9.2a");
  size_t words = (room() - sizeof(cl_mem)) / sizeof(cl_int) / 4 * 4;
  Program program =
      built(("typedef struct { int v[" + std::to_string(words) + "]; } Large;\n" +
             "kernel void last(global int *out, Large l) { out[0] = l.v[0] + l.v[" + std::to_string(words - 1) + "]; }")
                .c_str());
  Kernel last = kernel(program, "last");
  ASSERT_NE(last, nullptr);
  std::vector<cl_int> data(words);
  data.front() = 1, data.back() = 41;
  Mem out = buffer(4);
  set(last, 0, out);
  EXPECT_EQ(clSetKernelArg(last, 1, words * 4 - 4, data.data()), CL_INVALID_ARG_SIZE);
  ASSERT_EQ(clSetKernelArg(last, 1, words * 4, data.data()), CL_SUCCESS);
  ASSERT_EQ(launch(last, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], 42);
}

struct LargeSwitch : WithProgram {
  static std::string switchOf(int cases) {
    std::string text = "kernel void k(global int *p) {\n  int i = get_global_id(0);\n  switch (p[i]) {\n";
    for (int i = 0; i < cases; ++i)
      text += "  case " + std::to_string(7 * i) + ": p[i] = " + std::to_string(cases - i) + "; break;\n";
    return text + "  }\n}";
  }
};

// 20,000 cases; SPIR-V's universal limits require support of 16,383.
TEST_F(LargeSwitch, Slow20000Cases) {
  constexpr int Cases = 20000;
  Program program = built(switchOf(Cases).c_str());
  Kernel k = kernel(program, "k");
  ASSERT_NE(k, nullptr);
  std::vector<int> data{0, 7, 8, 7 * (Cases - 1)};
  Mem buffer = this->buffer(16, CL_MEM_COPY_HOST_PTR, data.data());
  set(k, 0, buffer);
  ASSERT_EQ(launch(k, 4), CL_SUCCESS);
  EXPECT_EQ(read<int>(buffer, 4), (std::vector<int>{Cases, Cases - 1, 8, 1}));
}

TEST_F(LargeSwitch, MoreCasesThanAnInstructionHolds) {
  Program program = source(switchOf(40000).c_str());
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_NE(log(program).find("a switch in 'k' has 40000 cases, must have at most 32766"), std::string::npos)
      << log(program).substr(0, 1000);
}

// More blocks and variables than kiln-clc promotes all at once (dialects/frontend/PrivateVariables.cpp).
TEST_F(WithProgram, SlowManyLoopsWithVariables) {
  constexpr int Loops = 700, Items = 64, Rounds = 5;
  std::string text = "kernel void k(global uint *p, int n) {\n  uint a = p[get_global_id(0)], m = 0;\n";
  for (int k = 0; k < Loops; ++k)
    text += "  for (int i = 0, j = " + std::to_string(k % 7) + "; i < n; ++i) {\n    uint t = a >> 3;\n    if (a & " +
            std::to_string(1 << k % 5) + ")\n      t = a + j, m ^= t;\n    else if (j > " + std::to_string(k % 11) +
            ")\n      continue;\n    a = a * 5 + t;\n    j += 2;\n    if (j > 12)\n      break;\n  }\n";
  Program program = built((text + "  p[get_global_id(0)] = a ^ m;\n}").c_str());
  Kernel kernel = this->kernel(program, "k");
  ASSERT_NE(kernel, nullptr);
  std::vector<unsigned> expected(Items);
  for (unsigned item = 0; item < Items; ++item) {
    unsigned a = item, m = 0;
    for (int k = 0; k < Loops; ++k)
      for (int i = 0, j = k % 7; i < Rounds; ++i) {
        unsigned t = a >> 3;
        if (a & (1u << k % 5))
          t = a + unsigned(j), m ^= t;
        else if (j > k % 11)
          continue;
        a = a * 5 + t;
        j += 2;
        if (j > 12)
          break;
      }
    expected[item] = a ^ m;
  }
  std::vector<int> inputs = numbers(Items, 0);
  Mem buffer = this->buffer(Items * sizeof(int), CL_MEM_COPY_HOST_PTR, inputs.data());
  set(kernel, 0, buffer);
  set(kernel, 1, cl_int(Rounds));
  ASSERT_EQ(launch(kernel, Items), CL_SUCCESS);
  EXPECT_EQ(read<unsigned>(buffer, Items), expected);
}

} // namespace kiln::test
