// Program-scope variables and static variables of functions, in global memory.
#include "tests/backends/suite/Suite.h"

namespace kiln::suite {

class DeviceVariables : public OnDevice {
protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (!HasFatalFailure() && query<size_t>(clGetDeviceInfo, device, CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE) == 0)
      GTEST_SKIP() << "the device has no program-scope variables";
  }
  Program build(const std::string &source) { return OnDevice::build(source.c_str(), "-cl-std=CL3.0"); }
  /// Runs a kernel that has one buffer of ints as argument and fills it.
  std::vector<cl_int> results(cl_program program, const char *name, size_t count, size_t items = 1, size_t local = 1) {
    Kernel run = kernel(program, name);
    if (!run)
      return {};
    Mem out = buffer(std::vector<cl_int>(count));
    set(run, 0, out);
    launch(run, {items}, {local});
    return read<cl_int>(out, count);
  }
};
ON_EVERY_DEVICE(DeviceVariables);

// LANG-1.5.1a: the kernels of a program share them and read the values of earlier launches; another program of the same
// source has its own.
TEST_P(DeviceVariables, KeptBetweenLaunches) {
  const char *source = R"(
global int counter = 40;
global int zero;
int next(void) { static global int calls = 100; return ++calls; }
kernel void bump(global int *out) { out[0] = ++counter; out[1] = ++zero; out[2] = next(); }
kernel void look(global int *out) { out[0] = counter; out[1] = zero; out[2] = next(); }
)";
  Program program = build(source), other = build(source);
  ASSERT_NE(program, nullptr);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(results(program, "bump", 3), (std::vector<cl_int>{41, 1, 101}));
  EXPECT_EQ(results(program, "bump", 3), (std::vector<cl_int>{42, 2, 102}));
  EXPECT_EQ(results(program, "look", 3), (std::vector<cl_int>{42, 2, 103}));
  EXPECT_EQ(results(other, "look", 3), (std::vector<cl_int>{40, 0, 101}));
}

// LANG-1.5.1a
TEST_P(DeviceVariables, InitialValues) {
  Program program = build(R"(
typedef struct { char c; int i; short s[3]; float4 v; } Record;
typedef struct Node { int value; global struct Node *next; } Node;
global char c = -3;
global long l = 0x123456789abcdefL;
global float3 f = (float3)(1, 2, 3);
global Record r = {7, -8, {1, 2, 3}, (float4)(4, 5, 6, 7)};
global int table[8] = {1, 2, 3};
global uchar text[] = "kiln";
constant int fixed[4] = {11, 12, 13, 14};
global int *second = &table[1];
global int *nothing = 0;
global float *component = (global float *)&r.v + 2;
constant int *global choice = &fixed[2];
global int *constant held[2] = {&table[2], table};
global Node last = {3, 0};
global Node first = {1, &last};
kernel void run(global int *out) {
  out[0] = c;
  out[1] = l == 0x123456789abcdefL;
  out[2] = (int)(f.x * 100 + f.y * 10 + f.z);
  out[3] = r.c * 10 + r.i + r.s[0] + r.s[1] + r.s[2];
  out[4] = (int)r.v.w;
  out[5] = table[0] + table[2] * 10 + table[7];
  out[6] = text[0] == 'k' && text[3] == 'n' && text[4] == 0;
  out[7] = *second;
  out[8] = nothing == 0;
  out[9] = (int)*component;
  out[10] = *choice;
  out[11] = *held[0] * 10 + *held[1];
  out[12] = first.next->value * 10 + (first.next->next == 0);
  *second = 50;
  second = &table[7];
  out[13] = table[1];
  out[14] = fixed[3];
}
kernel void again(global int *out) { out[0] = table[1]; out[1] = *second; out[2] = second == &table[7]; }
)");
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(results(program, "run", 15), (std::vector<cl_int>{-3, 1, 123, 68, 7, 31, 1, 2, 1, 6, 13, 31, 31, 50, 14}));
  EXPECT_EQ(results(program, "again", 3), (std::vector<cl_int>{50, 0, 1}));
}

// LANG-1.5.1a, with the functions of 1.x, which every device has.
TEST_P(DeviceVariables, Atomics) {
  Program program = build(R"(
global volatile int sum, most = -5;
global volatile int bins[16];
kernel void run(global int *out) {
  int i = get_global_id(0);
  atomic_add(&sum, i);
  atomic_max(&most, i);
  atomic_inc(&bins[i % 16]);
}
kernel void look(global int *out) { out[0] = sum; out[1] = most; out[2] = bins[0]; out[3] = bins[15]; }
)");
  ASSERT_NE(program, nullptr);
  results(program, "run", 1, 4096, 64);
  EXPECT_EQ(results(program, "look", 4), (std::vector<cl_int>{4096 * 4095 / 2, 4095, 256, 256}));
}

// A kernel with a barrier gets a variant for its local size after some launches.
TEST_P(DeviceVariables, VariantsShareThem) {
  Program program = build(R"(
global int rounds;
kernel void run(global int *out) {
  local int tile[32];
  int i = get_local_id(0);
  tile[i] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tile[31 - i] + rounds * 100;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (i == 0)
    ++rounds;
}
)");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  Mem out = buffer(std::vector<cl_int>(32));
  set(run, 0, out);
  for (cl_int round = 0; round < 200; ++round) {
    launch(run, {32}, {32});
    std::vector<cl_int> found = read<cl_int>(out, 32);
    ASSERT_EQ(found[0], 31 + round * 100);
    ASSERT_EQ(found[31], round * 100);
  }
}

// A pointer to a buffer may go through a variable: the kernel's writes are transferred.
TEST_P(DeviceVariables, PointersEscape) {
  Program program = build(R"(
global int *global way;
kernel void run(global int *out, global int *in) {
  way = out;
  way[0] = in[0] + 1;
}
)");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  Mem out = buffer(std::vector<cl_int>(1)), in = buffer(std::vector<cl_int>{41});
  set(run, 0, out, in);
  launch(run, {1});
  EXPECT_EQ(read<cl_int>(out, 1)[0], 42);
}

// LANG-1.5.1a LIM-26
TEST_P(DeviceVariables, LargeAndAligned) {
  size_t most = query<size_t>(clGetDeviceInfo, device, CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE);
  EXPECT_GE(most, size_t(64) << 10);
  size_t size = std::min<size_t>(most, 16 << 20);
  std::string text = std::to_string(size);
  Program program = build("global uchar big[" + text +
                          "];\nglobal int page __attribute__((aligned(4096))) = 5;\n"
                          "kernel void run(global int *out) { out[0] = big[" +
                          text + " - 1]++; out[1] = page; out[2] = (ulong)&page % 4096; out[3] = big[0]; }");
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(results(program, "run", 4), (std::vector<cl_int>{0, 5, 0, 0}));
  EXPECT_EQ(results(program, "run", 4), (std::vector<cl_int>{1, 5, 0, 0}));
  EXPECT_GE(query<size_t>(clGetProgramBuildInfo, program.get(), device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE),
            size + 4);
}

} // namespace kiln::suite
