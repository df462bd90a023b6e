// Pipes as arguments of kernels (clSetKernelArg, clGetKernelArgInfo) and of functions (OpenCL C's rules).
#include "tests/api/PipeTest.h"

namespace kiln::test {
namespace {
constexpr char Source[] = R"(
  kernel void k(write_only pipe int4 out, read_only pipe float in, pipe uchar either, global int *p) {
    int4 v = *p;
    write_pipe(out, &v);
    *p = get_pipe_num_packets(in) + get_pipe_max_packets(either);
  })";
}

struct PipeArguments : WithPipes {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithPipes::SetUp());
    if (IsSkipped())
      return;
    program = built(Source, "-cl-std=CL3.0 -cl-kernel-arg-info");
    k = kernel(program, "k");
  }
  /// Returns true if the source builds as OpenCL C 3.0.
  bool builds(const std::string &text) {
    Program made = source(text.c_str());
    return clBuildProgram(made, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr) == CL_SUCCESS;
  }
  Program program;
  Kernel k;
};

TEST_F(PipeArguments, TakeAPipe) {
  PROVES("API-5.9.2a");
  Mem made = pipe(16, 4), floats = pipe(4, 4);
  EXPECT_EQ(set(k, 0, made), CL_SUCCESS);
  EXPECT_EQ(set(k, 1, floats), CL_SUCCESS);
  EXPECT_EQ(launch(k, 1), CL_INVALID_KERNEL_ARGS);
}

TEST_F(PipeArguments, TakeNothingElse) {
  PROVES("API-5.9.2a");
  Mem other = buffer(64), made = pipe(4, 4), foreign = pipe(4, 4, otherContext);
  cl_mem null = nullptr;
  EXPECT_EQ(set(k, 0, other), CL_INVALID_ARG_VALUE) << "a buffer as a pipe argument";
  EXPECT_EQ(set(k, 3, made), CL_INVALID_ARG_VALUE) << "a pipe as a pointer argument";
  EXPECT_EQ(clSetKernelArg(k, 0, sizeof null, &null), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(clSetKernelArg(k, 0, sizeof null, nullptr), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(clSetKernelArg(k, 0, 4, made.address()), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(clSetKernelArg(k, 0, sizeof(cl_mem), queue.address()), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clSetKernelArgSVMPointer(k, 0, made.address()), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(set(k, 0, foreign), CL_INVALID_MEM_OBJECT) << "a pipe of another context";
}

TEST_F(PipeArguments, Info) {
  PROVES("API-5.9.4d");
  auto access = [&](cl_uint i) {
    return query<cl_kernel_arg_access_qualifier>(clGetKernelArgInfo, k.get(), i, CL_KERNEL_ARG_ACCESS_QUALIFIER);
  };
  EXPECT_EQ(access(0), cl_kernel_arg_access_qualifier(CL_KERNEL_ARG_ACCESS_WRITE_ONLY));
  EXPECT_EQ(access(1), cl_kernel_arg_access_qualifier(CL_KERNEL_ARG_ACCESS_READ_ONLY));
  EXPECT_EQ(access(2), cl_kernel_arg_access_qualifier(CL_KERNEL_ARG_ACCESS_READ_ONLY)) << "the default";
  EXPECT_EQ(access(3), cl_kernel_arg_access_qualifier(CL_KERNEL_ARG_ACCESS_NONE));
  const char *types[] = {"int4", "float", "uchar", "int*"};
  for (cl_uint i = 0; i < 4; ++i) {
    EXPECT_EQ(query<cl_kernel_arg_type_qualifier>(clGetKernelArgInfo, k.get(), i, CL_KERNEL_ARG_TYPE_QUALIFIER),
              cl_kernel_arg_type_qualifier(i < 3 ? CL_KERNEL_ARG_TYPE_PIPE : CL_KERNEL_ARG_TYPE_NONE));
    EXPECT_EQ(query<cl_kernel_arg_address_qualifier>(clGetKernelArgInfo, k.get(), i, CL_KERNEL_ARG_ADDRESS_QUALIFIER),
              cl_kernel_arg_address_qualifier(CL_KERNEL_ARG_ADDRESS_GLOBAL));
    EXPECT_EQ(queryText(clGetKernelArgInfo, k.get(), i, CL_KERNEL_ARG_TYPE_NAME), types[i]);
  }
  EXPECT_EQ(queryText(clGetKernelArgInfo, k.get(), 2, CL_KERNEL_ARG_NAME), "either");
}

TEST_F(PipeArguments, MaxPipeArguments) {
  PROVES("LIM-16");
  cl_uint most = query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MAX_PIPE_ARGS);
  EXPECT_GE(most, 16u);
  std::string parameters, body;
  for (cl_uint i = 0; i < most; ++i) {
    parameters += "write_only pipe int p" + std::to_string(i) + ", ";
    body += "x = " + std::to_string(i) + "; n += write_pipe(p" + std::to_string(i) + ", &x) == 0;";
  }
  Program many =
      builtWithPipes("kernel void many(" + parameters + "global int *o) { int x, n = 0; " + body + " *o = n; }");
  Kernel all = kernel(many, "many");
  std::vector<Mem> pipes;
  for (cl_uint i = 0; i < most; ++i) {
    pipes.push_back(pipe(4, 1));
    EXPECT_EQ(set(all, i, pipes.back()), CL_SUCCESS);
  }
  Mem out = buffer(4);
  EXPECT_EQ(set(all, most, out), CL_SUCCESS);
  ASSERT_EQ(launch(all, 1), CL_SUCCESS);
  EXPECT_EQ(read<cl_uint>(out, 1)[0], most);
}

// Functions with pipe parameters, also if caller and function are in programs that are linked.
TEST_F(PipeArguments, OfFunctionsAcrossPrograms) {
  PROVES("LANG-1.13.16a");
  Program library = source("int next(read_only pipe int p, private int *x) { return read_pipe(p, x); }"
                           "int put(write_only pipe int p, int x) { return write_pipe(p, &x); }");
  Program user = source("int next(read_only pipe int p, private int *x); int put(write_only pipe int p, int x);"
                        "kernel void fill(write_only pipe int p) { for (int i = 0; i < 5; ++i) put(p, i * i); }"
                        "kernel void sum(read_only pipe int p, global int *o) {"
                        "  int x; *o = 0; while (next(p, &x) == 0) *o += x; }");
  cl_program parts[2] = {library, user};
  for (cl_program part : parts)
    ASSERT_EQ(clCompileProgram(part, 0, nullptr, "-cl-std=CL3.0", 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS)
        << log(part);
  cl_int code = 1;
  Program linked = clLinkProgram(context, 0, nullptr, nullptr, 2, parts, nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  Kernel fill = kernel(linked, "fill"), sum = kernel(linked, "sum");
  Mem made = pipe(4, 8), out = buffer(4);
  set(fill, 0, made), set(sum, 0, made), set(sum, 1, out);
  ASSERT_EQ(launch(fill, 1), CL_SUCCESS);
  ASSERT_EQ(launch(sum, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], 0 + 1 + 4 + 9 + 16);
}

TEST_F(PipeArguments, RulesOfTheLanguage) {
  PROVES("LANG-1.13.16c");
  EXPECT_TRUE(builds("kernel void a(pipe int p, global int *o) { *o = read_pipe(p, o); }")) << "read_only by default";
  EXPECT_FALSE(builds("kernel void a(pipe int p, global int *o) { *o = write_pipe(p, o); }"));
  EXPECT_FALSE(builds("kernel void a(write_only pipe int p, global int *o) { *o = read_pipe(p, o); }"));
  EXPECT_FALSE(builds("kernel void a(read_write pipe int p) { }"));
  EXPECT_FALSE(builds("kernel void a(read_only pipe int p, global float *o) { read_pipe(p, o); }")) << "another type";
  EXPECT_FALSE(builds("kernel void a(global int *o) { pipe int p; }"));
  EXPECT_FALSE(builds("struct s { pipe int p; };"));
  EXPECT_FALSE(builds("typedef pipe int T; kernel void a(global int *o) { union { int i; T p[2]; } u; u.i = *o; }"));
  EXPECT_FALSE(builds("pipe int p;"));
  EXPECT_FALSE(builds("pipe int f(global int *o);"));
  EXPECT_FALSE(builds("kernel void a(pipe int *p) { }"));
  EXPECT_FALSE(builds("kernel void a(pipe int p, pipe int q) { p = q; }"));
}

} // namespace kiln::test
