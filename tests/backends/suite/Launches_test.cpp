// NDRanges of every shape, and work-item queries.
#include "tests/backends/suite/Suite.h"

#include <algorithm>
#include <string>

namespace kiln::suite {

class DeviceLaunches : public OnDevice {
protected:
  /// Every work-item adds one to its element, and sets a flag if its ids are inconsistent.
  void expectOnce(std::vector<size_t> global, std::vector<size_t> local, std::vector<size_t> offset = {}) {
    if (!program)
      program = build(R"(
kernel void run(global int *count, global int *wrong) {
  size_t index = 0, outside = 0;
  for (int d = 2; d >= 0; --d) {
    size_t id = get_global_id(d) - get_global_offset(d);
    index = index * get_global_size(d) + id;
    bool ok = id < get_global_size(d) && get_group_id(d) * get_enqueued_local_size(d) + get_local_id(d) == id &&
              get_local_id(d) < get_local_size(d) && get_local_size(d) <= get_enqueued_local_size(d) &&
              get_group_id(d) < get_num_groups(d) &&
              get_num_groups(d) == (get_global_size(d) + get_enqueued_local_size(d) - 1) / get_enqueued_local_size(d);
    outside += !ok;
  }
  if (outside)
    atomic_inc(wrong);
  else
    atomic_inc(count + index);
}
)",
                      "-cl-std=CL3.0");
    ASSERT_NE(program, nullptr);
    size_t items = 1;
    for (size_t size : global)
      items *= size;
    Kernel run = kernel(program, "run");
    Mem count = buffer(std::vector<cl_int>(items)), wrong = buffer(std::vector<cl_int>(1));
    set(run, 0, count, wrong);
    launch(run, global, local, offset);
    EXPECT_EQ(read<cl_int>(wrong, 1)[0], 0);
    std::vector<cl_int> counts = read<cl_int>(count, items);
    size_t bad = size_t(std::count_if(counts.begin(), counts.end(), [](cl_int c) { return c != 1; }));
    EXPECT_EQ(bad, 0u) << "of " << items << " work-items";
  }
  /// The same for a kernel that cannot notice its group, and that uses ids of the first `dimensions` only: each element
  /// is counted once for each work-item of the other dimensions.
  void expectOnceWithoutGroups(unsigned dimensions, std::vector<size_t> global, std::vector<size_t> local = {},
                               std::vector<size_t> offset = {}) {
    const std::string options = "-cl-std=CL1.2 -D USED=" + std::to_string(dimensions);
    Program independent = build(R"(
kernel void run(global int *count) {
  size_t index = 0;
  for (int d = USED - 1; d >= 0; --d)
    index = index * get_global_size(d) + get_global_id(d) - get_global_offset(d);
  atomic_inc(count + index);
}
)",
                                options.c_str());
    ASSERT_NE(independent, nullptr);
    size_t items = 1, repeats = 1;
    for (size_t d = 0; d < global.size(); ++d)
      (d < dimensions ? items : repeats) *= global[d];
    Kernel run = kernel(independent, "run");
    Mem count = buffer(std::vector<cl_int>(items + 1024));
    set(run, 0, count);
    launch(run, global, local, offset);
    std::vector<cl_int> counts = read<cl_int>(count, items + 1024);
    for (size_t i = 0; i < counts.size(); ++i)
      ASSERT_EQ(counts[i], i < items ? cl_int(repeats) : 0) << "element " << i << " of " << items;
  }
  Program program;
};
ON_EVERY_DEVICE(DeviceLaunches);

// A program of OpenCL C 1.2 has uniform groups. A size that nothing divides must not give groups of one work-item, and
// no further work-items.
TEST_P(DeviceLaunches, SizesThatNothingDivides) {
  expectOnceWithoutGroups(1, {10'007});
  expectOnceWithoutGroups(1, {31}, {}, {1'000'000});
  expectOnceWithoutGroups(2, {1009, 53});
  expectOnceWithoutGroups(3, {37, 41, 43}, {}, {5, 6, 7});
  expectOnceWithoutGroups(1, {521, 127});
  expectOnceWithoutGroups(2, {13, 1031});
  expectOnceWithoutGroups(2, {64, 48}, {16, 4});
}

TEST_P(DeviceLaunches, OneDimension) {
  expectOnce({1}, {1});
  expectOnce({4096}, {64});
  expectOnce({1000}, {});
  expectOnce({7}, {});
  expectOnce({256}, {256}, {1'000'000});
}

TEST_P(DeviceLaunches, TwoAndThreeDimensions) {
  expectOnce({64, 48}, {16, 4});
  expectOnce({33, 7}, {});
  expectOnce({16, 8, 4}, {4, 4, 2});
  expectOnce({5, 6, 7}, {});
  expectOnce({8, 8, 8}, {8, 1, 2}, {3, 0, 11});
  expectOnce({1, 1, 64}, {1, 1, 16});
}

TEST_P(DeviceLaunches, Remainders) {
  expectOnce({1000}, {64});
  expectOnce({10}, {64});
  expectOnce({33, 17}, {8, 4});
  expectOnce({33, 17, 9}, {8, 4, 2});
  expectOnce({9, 5, 3}, {4, 4, 4}, {1, 2, 3});
}

TEST_P(DeviceLaunches, ManyGroups) {
  expectOnce({1 << 20}, {1});
  expectOnce({1, 200'000}, {1, 1});
  expectOnce({2, 1, 140'001}, {1, 1, 2});
}

TEST_P(DeviceLaunches, LargestGroup) {
  size_t most = query<size_t>(clGetDeviceInfo, device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  expectOnce({most * 3}, {most});
  std::vector<size_t> sizes = queryList<size_t>(clGetDeviceInfo, device, CL_DEVICE_MAX_WORK_ITEM_SIZES);
  for (size_t d = 0; d < 3; ++d) {
    std::vector<size_t> local(3, 1);
    local[d] = std::min(most, sizes[d]);
    std::vector<size_t> global = local;
    global[d] *= 2;
    expectOnce(global, local);
  }
}

TEST_P(DeviceLaunches, EmptyRange) {
  Program empty = build("kernel void run(global int *a) { a[0] = 1; }");
  ASSERT_NE(empty, nullptr);
  Kernel run = kernel(empty, "run");
  Mem memory = buffer(std::vector<cl_int>(1));
  set(run, 0, memory);
  launch(run, {0});
  launch(run, {4, 0, 4});
  EXPECT_EQ(read<cl_int>(memory, 1)[0], 0);
}

TEST_P(DeviceLaunches, ArgumentsOfEveryKind) {
  struct Small {
    cl_char a;
    cl_int b;
    cl_short c;
  } small{1, -20, 300};
  cl_float3 triple{{1.5f, 2.5f, 3.5f}};
  cl_long2 pair{{1ll << 40, -7}};
  cl_uchar16 bytes;
  for (int i = 0; i < 16; ++i)
    bytes.s[i] = cl_uchar(i * 3);
  cl_char c = -3;
  cl_ushort s = 65'000;
  cl_ulong l = ~0ull;
  Mem out = buffer(std::vector<cl_long>(16)), in = buffer(std::vector<cl_int>{11, 22, 33});
  runKernel(R"(
typedef struct { char a; int b; short c; } Small;
kernel void run(global long *out, char c, Small small, ushort s, float3 triple, long2 pair, ulong l, uchar16 bytes,
                constant int *in, local int *scratch) {
  scratch[get_local_id(0)] = in[get_local_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0))
    return;
  out[0] = c; out[1] = small.a; out[2] = small.b; out[3] = small.c; out[4] = s;
  out[5] = (long)(triple.x * 2) + (long)(triple.y * 20) + (long)(triple.z * 200);
  out[6] = pair.x; out[7] = pair.y; out[8] = l; out[9] = bytes.s5 + bytes.sf;
  out[10] = scratch[0] + scratch[1] + scratch[2];
}
)",
            {3}, {3}, out, c, small, s, triple, pair, l, bytes, in, LocalBytes{12});
  std::vector<cl_long> expected{-3, 1, -20, 300, 65'000, 3 + 50 + 700, 1ll << 40, -7, -1, 15 + 45, 66};
  std::vector<cl_long> result = read<cl_long>(out, 16);
  result.resize(expected.size());
  EXPECT_EQ(result, expected);
}

TEST_P(DeviceLaunches, ArgumentsAreThoseAtTheEnqueue) {
  Program program = build("kernel void run(global int *a, int value, int at) { a[at] = value; }");
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  Mem memory = buffer(std::vector<cl_int>(100));
  set(run, 0, memory);
  for (cl_int i = 0; i < 100; ++i) {
    clSetKernelArg(run, 1, 4, &i);
    clSetKernelArg(run, 2, 4, &i);
    launch(run, {1});
  }
  EXPECT_EQ(read<cl_int>(memory, 100), counted<cl_int>(100));
}

TEST_P(DeviceLaunches, ManyArguments) {
  std::string source = "kernel void run(global long *out";
  for (int i = 0; i < 100; ++i)
    source += ", long a" + std::to_string(i);
  source += ") { out[0] = 0";
  for (int i = 0; i < 100; ++i)
    source += " + a" + std::to_string(i) + " * " + std::to_string(i + 1);
  source += "; }";
  Program program = build(source.c_str());
  ASSERT_NE(program, nullptr);
  Kernel run = kernel(program, "run");
  Mem out = buffer(std::vector<cl_long>(1));
  set(run, 0, out);
  cl_long expected = 0;
  for (cl_uint i = 0; i < 100; ++i) {
    cl_long value = 1000 + i;
    clSetKernelArg(run, i + 1, 8, &value);
    expected += value * (i + 1);
  }
  launch(run, {1});
  EXPECT_EQ(read<cl_long>(out, 1)[0], expected);
}

} // namespace kiln::suite
