// clCreateKernel, clCreateKernelsInProgram, clCloneKernel, clSetKernelArg and the queries of kernels.
#include "tests/api/ProgramTest.h"

namespace kiln::test {

inline constexpr const char *ArgumentsSource = R"(
typedef struct { int a; char b; float4 c; } Pair;
kernel void args(global int *out, constant float *table, local int *scratch, int scalar, float4 vector, Pair pair,
                 const global uint *restrict in) {
  scratch[get_local_id(0)] = scalar;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = scratch[0] + (int)table[0] + (int)vector.z + pair.a + (int)pair.c.w + (int)in[0];
}
kernel __attribute__((reqd_work_group_size(4, 2, 1))) void required(global int *p) { p[0] = 1; }
)";

struct CreateKernel : WithProgram {};
struct CreateKernelsInProgram : WithProgram {};
struct SetKernelArg : WithProgram {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithProgram::SetUp());
    program = built(ArgumentsSource, "-cl-kernel-arg-info");
    k = kernel(program, "args");
  }
  Program program;
  Kernel k;
};
using GetKernelArgInfo = SetKernelArg;
using GetKernelWorkGroupInfo = SetKernelArg;
using GetKernelInfo = SetKernelArg;
using CloneKernel = SetKernelArg;

TEST_F(CreateKernel, Rules) {
  PROVES("API-5.9.1a");
  Program program = built(AddSource);
  cl_int code = 1;
  EXPECT_EQ(clCreateKernel(nullptr, "add", &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_PROGRAM);
  EXPECT_EQ(clCreateKernel(program, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateKernel(program, "nothing", &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_KERNEL_NAME);
  EXPECT_EQ(clCreateKernel(source(AddSource), "add", &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_PROGRAM_EXECUTABLE);
}

TEST_F(CreateKernel, KeepsItsProgram) {
  PROVES("API-5.8.2a R13");
  Program program = built(AddSource);
  Kernel add = kernel(program, "add");
  cl_program p = program;
  program.reset();
  EXPECT_EQ(query<cl_program>(clGetKernelInfo, add.get(), CL_KERNEL_PROGRAM), p);
  EXPECT_EQ(queryText(clGetProgramInfo, p, CL_PROGRAM_SOURCE), AddSource);
}

TEST_F(CreateKernelsInProgram, NumKernels) {
  PROVES("API-5.9.1b");
  Program program = built("kernel void first() {}\nkernel void second() {}");
  cl_uint count = 0;
  EXPECT_EQ(clCreateKernelsInProgram(program, 0, nullptr, &count), CL_SUCCESS);
  EXPECT_EQ(count, 2u);
  cl_kernel kernels[2] = {};
  EXPECT_EQ(clCreateKernelsInProgram(program, 1, kernels, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(kernels[0], nullptr);
  ASSERT_EQ(clCreateKernelsInProgram(program, 2, kernels, nullptr), CL_SUCCESS);
  for (cl_kernel one : kernels)
    EXPECT_EQ(clReleaseKernel(one), CL_SUCCESS);
  EXPECT_EQ(clCreateKernelsInProgram(source(AddSource), 0, nullptr, &count), CL_INVALID_PROGRAM_EXECUTABLE);
  EXPECT_EQ(clCreateKernelsInProgram(nullptr, 0, nullptr, &count), CL_INVALID_PROGRAM);
}

TEST_F(SetKernelArg, IndexSizeAndValue) {
  int i = 1;
  cl_mem none = nullptr;
  EXPECT_EQ(clSetKernelArg(nullptr, 0, sizeof none, &none), CL_INVALID_KERNEL);
  EXPECT_EQ(clSetKernelArg(k, 7, sizeof i, &i), CL_INVALID_ARG_INDEX);
  EXPECT_EQ(clSetKernelArg(k, 3, 2, &i), CL_INVALID_ARG_SIZE) << "scalar";
  EXPECT_EQ(clSetKernelArg(k, 4, 12, &i), CL_INVALID_ARG_SIZE) << "vector";
  EXPECT_EQ(clSetKernelArg(k, 5, 20, &i), CL_INVALID_ARG_SIZE) << "struct";
  EXPECT_EQ(clSetKernelArg(k, 0, 4, &i), CL_INVALID_ARG_SIZE) << "handle";
  EXPECT_EQ(clSetKernelArg(k, 3, sizeof i, nullptr), CL_INVALID_ARG_VALUE) << "scalar without a value";
  EXPECT_EQ(clSetKernelArg(k, 2, 0, nullptr), CL_INVALID_ARG_SIZE) << "local memory of 0 bytes";
  EXPECT_EQ(clSetKernelArg(k, 2, 16, &i), CL_INVALID_ARG_VALUE) << "a value for local memory";
}

TEST_F(SetKernelArg, MemoryObjects) {
  cl_mem none = nullptr, notOne = reinterpret_cast<cl_mem>(queue.get());
  EXPECT_EQ(clSetKernelArg(k, 0, sizeof none, &none), CL_SUCCESS) << "null buffer";
  EXPECT_EQ(clSetKernelArg(k, 0, sizeof none, nullptr), CL_SUCCESS) << "null value";
  EXPECT_EQ(clSetKernelArg(k, 0, sizeof notOne, &notOne), CL_INVALID_MEM_OBJECT);
}

TEST_F(SetKernelArg, AllKindsReachTheKernel) {
  struct alignas(16) Pair {
    int a;
    char b;
    alignas(16) float c[4];
  } pair{1000, 'b', {0, 0, 0, 20000}};
  float table = 5;
  float vector[4] = {0, 0, 300, 0};
  unsigned in = 7;
  Mem out = buffer(64), constants = buffer(4, CL_MEM_COPY_HOST_PTR, &table),
      input = buffer(4, CL_MEM_COPY_HOST_PTR, &in);
  EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
  EXPECT_EQ(set(k, 1, constants), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(k, 2, 64, nullptr), CL_SUCCESS);
  EXPECT_EQ(set(k, 3, 60), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(k, 4, sizeof vector, vector), CL_SUCCESS);
  EXPECT_EQ(set(k, 5, pair), CL_SUCCESS);
  EXPECT_EQ(set(k, 6, input), CL_SUCCESS);
  size_t local = 16;
  ASSERT_EQ(launch(k, 16, &local), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 16), std::vector<int>(16, 60 + 5 + 300 + 1000 + 20000 + 7));
}

TEST_F(SetKernelArg, VectorOfThreeCountsAsFour) {
  Program three = built("kernel void k(global float *out, float3 v) { out[0] = v.x + v.y + v.z; }");
  Kernel sum = kernel(three, "k");
  float values[4] = {1, 20, 300, 4000};
  Mem out = buffer(4);
  EXPECT_EQ(set(sum, 0, out), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(sum, 1, 12, values), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(clSetKernelArg(sum, 1, 16, values), CL_SUCCESS);
  ASSERT_EQ(launch(sum, 1), CL_SUCCESS);
  EXPECT_EQ(read<float>(out, 1)[0], 321);
}

// The SPIR-V decoration MaxByteOffset limits the size of a pointer argument's memory.
TEST_F(SetKernelArg, MoreThanTheModuleAllows) {
  PROVES("API-5.9.2b");
  std::vector<char> il = module("limited");
  cl_int code = 1;
  Program limited = clCreateProgramWithIL(context, il.data(), il.size(), &code);
  ASSERT_EQ(code, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(limited, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << log(limited);
  Kernel kernel = this->kernel(limited, "limited");
  EXPECT_EQ(queryText(clGetKernelInfo, kernel.get(), CL_KERNEL_ATTRIBUTES), "") << "not from source";
  int answer = 42;
  Mem out = buffer(128), right = buffer(64), large = buffer(68);
  ASSERT_EQ(clEnqueueWriteBuffer(queue, right, CL_TRUE, 0, 4, &answer, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(set(kernel, 0, out), CL_SUCCESS) << "MaxByteOffset limits constant and local arguments only";
  EXPECT_EQ(set(kernel, 1, right), CL_SUCCESS);
  EXPECT_EQ(set(kernel, 1, large), CL_MAX_SIZE_RESTRICTION_EXCEEDED);
  EXPECT_EQ(clSetKernelArg(kernel, 2, 32, nullptr), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(kernel, 2, 33, nullptr), CL_MAX_SIZE_RESTRICTION_EXCEEDED);
  size_t local = 4;
  ASSERT_EQ(launch(kernel, 4, &local), CL_SUCCESS) << "a failed call changes no argument";
  EXPECT_EQ(read<int>(out, 1)[0], 42);
}

// A queued launch keeps the argument values of its enqueue; clSetKernelArg changes only later launches.
TEST_F(SetKernelArg, LaunchesKeepTheirArgumentValues) {
  PROVES("API-5.9.2c");
  Program stores =
      built("typedef struct { int v[16]; } Block;\n"
            "kernel void store(global int *p, int at, Block b, local int *l) { l[0] = b.v[15]; p[at] = l[0]; }");
  Kernel store = kernel(stores, "store");
  constexpr int Count = 300;
  Mem out = buffer(Count * 4);
  set(store, 0, out);
  Event gate = userEvent();
  size_t one = 1;
  for (int i = 0; i < Count; ++i) {
    int block[16] = {};
    block[15] = 7 * i;
    set(store, 1, i);
    ASSERT_EQ(clSetKernelArg(store, 2, sizeof block, block), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(store, 3, size_t(4 + i), nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue, store, 1, nullptr, &one, nullptr, 1, gate.address(), nullptr), CL_SUCCESS);
  }
  store.reset();
  stores.reset();
  clSetUserEventStatus(gate, CL_COMPLETE);
  std::vector<int> expected(Count);
  for (int i = 0; i < Count; ++i)
    expected[size_t(i)] = 7 * i;
  EXPECT_EQ(read<int>(out, Count), expected);
}

TEST_F(SetKernelArg, NullBuffer) {
  PROVES("API-5.9.2a");
  Program program =
      built("kernel void isNull(global int *out, global int *a, constant int *b) { out[0] = !a + 2 * !b; }");
  Kernel isNull = kernel(program, "isNull");
  Mem out = buffer(4), other = buffer(4);
  cl_mem none = nullptr;
  set(isNull, 0, out);
  ASSERT_EQ(clSetKernelArg(isNull, 1, sizeof none, &none), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(isNull, 2, sizeof none, nullptr), CL_SUCCESS);
  ASSERT_EQ(launch(isNull, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], 3);
  set(isNull, 1, other);
  ASSERT_EQ(launch(isNull, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], 2);
}

TEST_F(SetKernelArg, EachOneUnsetIsAnError) {
  PROVES("API-5.9.2a");
  float vector[4] = {}, pair[12] = {};
  Mem b = buffer(64);
  for (cl_uint missing = 0; missing < 7; ++missing) {
    Kernel fresh = kernel(program, "args");
    auto skip = [&](cl_uint i) { return i == missing; };
    for (cl_uint i : {0u, 1u, 6u})
      if (!skip(i))
        set(fresh, i, b);
    if (!skip(2))
      clSetKernelArg(fresh, 2, 64, nullptr);
    if (!skip(3))
      set(fresh, 3, 1);
    if (!skip(4))
      clSetKernelArg(fresh, 4, sizeof vector, vector);
    if (!skip(5))
      clSetKernelArg(fresh, 5, 32, pair);
    EXPECT_EQ(launch(fresh, 1), CL_INVALID_KERNEL_ARGS) << missing;
  }
}

TEST_F(SetKernelArg, ValuesAreTakenAtTheEnqueue) {
  PROVES("API-5.9.2c");
  Program stores = built("kernel void store(global int *p, int v) { p[0] = v; }");
  Kernel store = kernel(stores, "store");
  Mem first = buffer(4), second = buffer(4);
  Event gate = userEvent();
  size_t one = 1;
  set(store, 0, first);
  set(store, 1, 11);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue, store, 1, nullptr, &one, nullptr, 1, gate.address(), nullptr), CL_SUCCESS);
  set(store, 0, second);
  set(store, 1, 22);
  ASSERT_EQ(launch(store, 1), CL_SUCCESS);
  cl_mem released = first;
  clRetainMemObject(released);
  first.reset(); // the queued launch keeps it
  clSetUserEventStatus(gate, CL_COMPLETE);
  EXPECT_EQ(read<int>(second, 1)[0], 22);
  EXPECT_EQ(read<int>(released, 1)[0], 11);
  clReleaseMemObject(released);
}

TEST_F(GetKernelInfo, Values) {
  PROVES("R3 API-5.9.4a R13");
  cl_kernel handle = k;
  expectInfoRules(clGetKernelInfo, handle, CL_KERNEL_NUM_ARGS);
  EXPECT_EQ(queryText(clGetKernelInfo, handle, CL_KERNEL_FUNCTION_NAME), "args");
  EXPECT_EQ(query<cl_uint>(clGetKernelInfo, handle, CL_KERNEL_NUM_ARGS), 7u);
  EXPECT_EQ(query<cl_context>(clGetKernelInfo, handle, CL_KERNEL_CONTEXT), context);
  EXPECT_EQ(query<cl_program>(clGetKernelInfo, handle, CL_KERNEL_PROGRAM), program);
  EXPECT_EQ(query<cl_uint>(clGetKernelInfo, handle, CL_KERNEL_REFERENCE_COUNT), 1u);
  EXPECT_EQ(queryText(clGetKernelInfo, handle, CL_KERNEL_ATTRIBUTES), "");
  Kernel required = kernel(program, "required");
  EXPECT_EQ(queryText(clGetKernelInfo, required.get(), CL_KERNEL_ATTRIBUTES), "reqd_work_group_size(4,2,1)");
  EXPECT_EQ(clGetKernelInfo(nullptr, CL_KERNEL_NUM_ARGS, 0, nullptr, nullptr), CL_INVALID_KERNEL);
}

TEST_F(GetKernelInfo, HintsOfVectorTypes) {
  PROVES("API-5.9.4a");
  Program program = built("kernel __attribute__((vec_type_hint(uint4))) void a() {}"
                          "kernel __attribute__((vec_type_hint(int4))) void b() {}"
                          "kernel __attribute__((vec_type_hint(uchar16))) void c() {}"
                          "kernel __attribute__((vec_type_hint(ulong))) void d() {}"
                          "kernel __attribute__((vec_type_hint(float2))) void e() {}");
  for (auto [name, hint] : {std::pair("a", "uint4"), {"b", "int4"}, {"c", "uchar16"}, {"d", "ulong"}, {"e", "float2"}})
    EXPECT_EQ(queryText(clGetKernelInfo, kernel(program, name).get(), CL_KERNEL_ATTRIBUTES),
              std::string("vec_type_hint(") + hint + ")");
}

TEST_F(GetKernelArgInfo, Rules) {
  PROVES("R3 API-5.9.4d");
  char room[64];
  EXPECT_EQ(clGetKernelArgInfo(nullptr, 0, CL_KERNEL_ARG_NAME, sizeof room, room, nullptr), CL_INVALID_KERNEL);
  EXPECT_EQ(clGetKernelArgInfo(k, 7, CL_KERNEL_ARG_NAME, sizeof room, room, nullptr), CL_INVALID_ARG_INDEX);
  EXPECT_EQ(clGetKernelArgInfo(k, 0, 0xdead, sizeof room, room, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, 1, room, nullptr), CL_INVALID_VALUE);
  Program plain = built(AddSource);
  EXPECT_EQ(clGetKernelArgInfo(kernel(plain, "add"), 0, CL_KERNEL_ARG_NAME, sizeof room, room, nullptr),
            CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
      << "built without -cl-kernel-arg-info";
}

TEST_F(GetKernelArgInfo, Values) {
  PROVES("API-5.9.4d");
  struct {
    const char *name, *type;
    cl_kernel_arg_address_qualifier address;
    cl_kernel_arg_type_qualifier qualifiers;
  } expected[] = {
      {"out", "int*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_NONE},
      {"table", "float*", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST},
      {"scratch", "int*", CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_TYPE_NONE},
      {"scalar", "int", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE},
      {"vector", "float4", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE},
      {"pair", "Pair", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE},
      {"in", "uint*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT},
  };
  for (cl_uint i = 0; i < 7; ++i) {
    EXPECT_EQ(queryText(clGetKernelArgInfo, k.get(), i, CL_KERNEL_ARG_NAME), expected[i].name);
    EXPECT_EQ(queryText(clGetKernelArgInfo, k.get(), i, CL_KERNEL_ARG_TYPE_NAME), expected[i].type);
    EXPECT_EQ(query<cl_kernel_arg_address_qualifier>(clGetKernelArgInfo, k.get(), i, CL_KERNEL_ARG_ADDRESS_QUALIFIER),
              expected[i].address)
        << expected[i].name;
    EXPECT_EQ(query<cl_kernel_arg_type_qualifier>(clGetKernelArgInfo, k.get(), i, CL_KERNEL_ARG_TYPE_QUALIFIER),
              expected[i].qualifiers)
        << expected[i].name;
    EXPECT_EQ(query<cl_kernel_arg_access_qualifier>(clGetKernelArgInfo, k.get(), i, CL_KERNEL_ARG_ACCESS_QUALIFIER),
              cl_kernel_arg_access_qualifier(CL_KERNEL_ARG_ACCESS_NONE));
  }
}

// Type names, qualifiers and argument names for every scalar and vector type.
TEST_F(GetKernelArgInfo, EveryType) {
  PROVES("API-5.9.4d");
  std::vector<std::string> types = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float"};
  if (query<cl_device_fp_config>(clGetDeviceInfo, device, CL_DEVICE_DOUBLE_FP_CONFIG))
    types.push_back("double");
  std::vector<std::string> names;
  std::string parameters;
  for (const std::string &type : types)
    for (const char *count : {"", "2", "3", "4", "8", "16"}) {
      names.push_back(type + count);
      parameters += (parameters.empty() ? "" : ", ") + names.back() + " v" + std::to_string(names.size()) +
                    ", global " + names.back() + " *p" + std::to_string(names.size());
    }
  Program many = built(("kernel void k(" + parameters + ") {}").c_str(), "-cl-kernel-arg-info");
  Kernel k = kernel(many, "k");
  ASSERT_EQ(query<cl_uint>(clGetKernelInfo, k.get(), CL_KERNEL_NUM_ARGS), 2 * names.size());
  for (cl_uint i = 0; i < names.size(); ++i) {
    EXPECT_EQ(queryText(clGetKernelArgInfo, k.get(), 2 * i, CL_KERNEL_ARG_TYPE_NAME), names[i]);
    EXPECT_EQ(queryText(clGetKernelArgInfo, k.get(), 2 * i + 1, CL_KERNEL_ARG_TYPE_NAME), names[i] + "*");
    EXPECT_EQ(queryText(clGetKernelArgInfo, k.get(), 2 * i, CL_KERNEL_ARG_NAME), "v" + std::to_string(i + 1));
  }
}

TEST_F(GetKernelArgInfo, EveryQualifier) {
  PROVES("API-5.9.4d");
  Program many = built(R"(
typedef unsigned int word;
struct point { int x, y; };
kernel void k(global const int *restrict a, global volatile int *b, local const volatile float4 *c,
              constant uchar *restrict d, unsigned int e, const long f, global unsigned char *g, global word *h,
              struct point i, global struct point *j, local int *restrict volatile l) {})",
                       "-cl-kernel-arg-info");
  Kernel k = kernel(many, "k");
  constexpr cl_kernel_arg_type_qualifier C = CL_KERNEL_ARG_TYPE_CONST, R = CL_KERNEL_ARG_TYPE_RESTRICT,
                                         V = CL_KERNEL_ARG_TYPE_VOLATILE, N = CL_KERNEL_ARG_TYPE_NONE;
  constexpr cl_kernel_arg_address_qualifier G = CL_KERNEL_ARG_ADDRESS_GLOBAL, L = CL_KERNEL_ARG_ADDRESS_LOCAL,
                                            K = CL_KERNEL_ARG_ADDRESS_CONSTANT, P = CL_KERNEL_ARG_ADDRESS_PRIVATE;
  struct {
    const char *type;
    cl_kernel_arg_address_qualifier address;
    cl_kernel_arg_type_qualifier qualifiers;
  } expected[] = {{"int*", G, C | R},     {"int*", G, V},          {"float4*", L, C | V}, {"uchar*", K, C | R},
                  {"uint", P, N},         {"long", P, N},          {"uchar*", G, N},      {"word*", G, N},
                  {"struct point", P, N}, {"struct point*", G, N}, {"int*", L, R}};
  cl_uint i = 0;
  for (auto &[type, address, qualifiers] : expected) {
    EXPECT_EQ(queryText(clGetKernelArgInfo, k.get(), i, CL_KERNEL_ARG_TYPE_NAME), type) << i;
    EXPECT_EQ(query<cl_kernel_arg_address_qualifier>(clGetKernelArgInfo, k.get(), i, CL_KERNEL_ARG_ADDRESS_QUALIFIER),
              address)
        << i;
    EXPECT_EQ(query<cl_kernel_arg_type_qualifier>(clGetKernelArgInfo, k.get(), i, CL_KERNEL_ARG_TYPE_QUALIFIER),
              qualifiers)
        << i;
    ++i;
  }
}

TEST_F(GetKernelWorkGroupInfo, Rules) {
  PROVES("R3 API-5.9.4b");
  char room[64];
  EXPECT_EQ(clGetKernelWorkGroupInfo(nullptr, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof room, room, nullptr),
            CL_INVALID_KERNEL);
  EXPECT_EQ(clGetKernelWorkGroupInfo(k, reinterpret_cast<cl_device_id>(queue.get()), CL_KERNEL_WORK_GROUP_SIZE,
                                     sizeof room, room, nullptr),
            CL_INVALID_DEVICE);
  EXPECT_EQ(clGetKernelWorkGroupInfo(k, nullptr, CL_KERNEL_WORK_GROUP_SIZE, sizeof room, room, nullptr), CL_SUCCESS)
      << "device may be null if the program has one device";
  EXPECT_EQ(clGetKernelWorkGroupInfo(k, device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof room, room, nullptr),
            CL_INVALID_VALUE)
      << "no built-in kernel";
  EXPECT_EQ(clGetKernelWorkGroupInfo(k, device, CL_KERNEL_WORK_GROUP_SIZE, 1, room, nullptr), CL_INVALID_VALUE);
}

TEST_F(GetKernelWorkGroupInfo, Values) {
  PROVES("API-5.9.4b");
  size_t most = query<size_t>(clGetDeviceInfo, device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  size_t size = query<size_t>(clGetKernelWorkGroupInfo, k.get(), device, CL_KERNEL_WORK_GROUP_SIZE);
  EXPECT_GE(size, 1u);
  EXPECT_LE(size, most);
  EXPECT_GE(query<size_t>(clGetKernelWorkGroupInfo, k.get(), device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE), 1u);
  query<cl_ulong>(clGetKernelWorkGroupInfo, k.get(), device, CL_KERNEL_PRIVATE_MEM_SIZE);
  EXPECT_EQ(queryList<size_t>(clGetKernelWorkGroupInfo, k.get(), device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE),
            (std::vector<size_t>{0, 0, 0}));
  Kernel required = kernel(program, "required");
  EXPECT_EQ(queryList<size_t>(clGetKernelWorkGroupInfo, required.get(), device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE),
            (std::vector<size_t>{4, 2, 1}));
  cl_ulong before = query<cl_ulong>(clGetKernelWorkGroupInfo, k.get(), device, CL_KERNEL_LOCAL_MEM_SIZE);
  ASSERT_EQ(clSetKernelArg(k, 2, 1024, nullptr), CL_SUCCESS);
  EXPECT_GE(query<cl_ulong>(clGetKernelWorkGroupInfo, k.get(), device, CL_KERNEL_LOCAL_MEM_SIZE), before + 1024);
}

// tests/api/group_functions_test.cpp compares the results with the built-in functions in kernels.
TEST_F(GetKernelWorkGroupInfo, SubGroupRules) {
  PROVES("API-5.9.4c");
  auto ask = [&](cl_kernel kernel, cl_device_id which, cl_kernel_sub_group_info what, size_t inputSize,
                 const void *input, size_t room) {
    size_t answer[3], size = 0;
    return clGetKernelSubGroupInfo(kernel, which, what, inputSize, input, room, answer, &size);
  };
  const size_t local[4] = {16, 2, 1, 1}, word = sizeof(size_t);
  const auto largest = CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE;
  EXPECT_EQ(ask(nullptr, device, largest, word, local, word), CL_INVALID_KERNEL);
  EXPECT_EQ(ask(k, reinterpret_cast<cl_device_id>(queue.get()), largest, word, local, word), CL_INVALID_DEVICE);
  if (!query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MAX_NUM_SUB_GROUPS)) {
    EXPECT_EQ(ask(k, device, largest, word, local, word), CL_INVALID_OPERATION) << "the device has no sub-groups";
    return;
  }
  EXPECT_EQ(ask(k, nullptr, largest, word, local, word), CL_SUCCESS)
      << "device may be null if the program has one device";
  for (auto what : {CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE}) {
    EXPECT_EQ(ask(k, device, what, 3 * word, local, word), CL_SUCCESS);
    EXPECT_EQ(ask(k, device, what, 4 * word, local, word), CL_INVALID_VALUE) << "four dimensions";
    EXPECT_EQ(ask(k, device, what, word + 1, local, word), CL_INVALID_VALUE);
    EXPECT_EQ(ask(k, device, what, word, nullptr, word), CL_INVALID_VALUE);
    EXPECT_EQ(ask(k, device, what, word, local, word - 1), CL_INVALID_VALUE);
  }
  EXPECT_EQ(ask(k, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, word, local, 3 * word), CL_SUCCESS);
  EXPECT_EQ(ask(k, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 2 * word, local, 3 * word), CL_INVALID_VALUE);
  EXPECT_EQ(ask(k, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, nullptr, word), CL_SUCCESS);
  EXPECT_EQ(ask(k, device, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, nullptr, word), CL_SUCCESS);
  EXPECT_EQ(ask(k, device, 0xdead, 0, nullptr, word), CL_INVALID_VALUE);
}

TEST_F(CloneKernel, CopiesArgumentsAndIsIndependent) {
  PROVES("API-5.9.3a");
  cl_int code = 1;
  EXPECT_EQ(clCloneKernel(nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_KERNEL);
  Program stores = built("kernel void store(global int *p, int v) { p[0] = v; }");
  Kernel original = kernel(stores, "store");
  Mem out = buffer(4);
  set(original, 0, out);
  set(original, 1, 11);
  Kernel clone = clCloneKernel(original, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(query<cl_uint>(clGetKernelInfo, clone.get(), CL_KERNEL_REFERENCE_COUNT), 1u);
  set(original, 1, 22);
  ASSERT_EQ(launch(clone, 1), CL_SUCCESS);
  EXPECT_EQ(read<int>(out, 1)[0], 11);
}
} // namespace kiln::test
