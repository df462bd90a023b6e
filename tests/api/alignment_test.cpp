// Alignment of variables and struct arguments in every place where Kiln stores them: a thread's stack, one copy per
// lane, and slots for values that live across a barrier.
#include "tests/api/ProgramTest.h"

namespace kiln::test {
namespace {

constexpr const char *AlignmentSource = R"(
#define ALIGNED __attribute__((aligned(ALIGNMENT)))
#define IS_AT_FAULT(pointer) ((uint)((ulong)(pointer) % ALIGNMENT != 0) << 31)
typedef struct ALIGNED { uchar bytes[24]; } Item;
typedef struct ALIGNED { uint words[16]; } Argument;

// The indices are read from memory, so that the variables are not promoted to registers.
kernel void short_lived(global uint *out, global const uint *at) {
  const size_t i = get_global_id(0);
  uchar before[3];
  uchar own[32] ALIGNED;
  for (int k = 0; k < 32; ++k)
    own[k] = i + k;
  for (int k = 0; k < 3; ++k)
    before[k] = i * k;
  out[i] = own[at[i] & 31] + before[at[i] % 3] + IS_AT_FAULT(own);
}
kernel void across_barrier(global uint *out, global const uint *at) {
  const size_t i = get_global_id(0);
  uchar before[3];
  uchar own[32] ALIGNED;
  local uint seen[16] ALIGNED;
  for (int k = 0; k < 32; ++k)
    own[k] = i + k;
  for (int k = 0; k < 3; ++k)
    before[k] = i * k;
  seen[get_local_id(0)] = at[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint index = seen[get_local_id(0) ^ 1] == at[i ^ 1] ? at[i] : ~0u;
  out[i] = own[index & 31] + before[index % 3] + IS_AT_FAULT(own) + IS_AT_FAULT(seen);
}
kernel void large(global uint *out, global const uint *at) {
  const size_t i = get_global_id(0);
  Item items[32];
  for (int k = 0; k < 32; ++k)
    items[k].bytes[at[i] % 24] = i + k;
  out[i] = items[at[i] & 31].bytes[at[i] % 24] + at[i] % 3 * i % 256 + IS_AT_FAULT(items) + IS_AT_FAULT(items + 1);
}
kernel void argument(global uint *out, global const uint *at, uint one, Argument words) {
  const size_t i = get_global_id(0);
  const uint16 all = *(const uint16 *)&words;
  out[i] = words.words[at[i] & 15] - all.sf + one;
}
kernel void own_argument(global uint *out, global const uint *at, uint one, Argument words) {
  const size_t i = get_global_id(0);
  words.words[at[i] & 15] += one;
  const uint16 all = *(const uint16 *)&words;
  out[i] = words.words[at[i] & 15] - all.sf + IS_AT_FAULT(&words);
}
)";

struct Aligned : WithProgram {
  static constexpr size_t Count = 64;
  std::vector<cl_uint> at = std::vector<cl_uint>(Count);

  /// Launches the kernel and returns its output. `words`: the struct argument, if the kernel has one.
  std::vector<cl_uint> result(cl_program program, const char *name, const std::vector<cl_uint> &words = {}) {
    for (cl_uint i = 0; i < Count; ++i)
      at[i] = i * 7 % 46;
    Kernel k = kernel(program, name);
    Mem in = buffer(4 * Count, CL_MEM_COPY_HOST_PTR, at.data()), out = buffer(4 * Count);
    EXPECT_EQ(set(k, 0, out), CL_SUCCESS);
    EXPECT_EQ(set(k, 1, in), CL_SUCCESS);
    if (!words.empty()) {
      EXPECT_EQ(set(k, 2, cl_uint(1)), CL_SUCCESS);
      EXPECT_EQ(clSetKernelArg(k, 3, 4 * words.size(), words.data()), CL_SUCCESS);
    }
    const size_t size = Count, local = 16;
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, k, 1, nullptr, &size, &local, 0, nullptr, nullptr), CL_SUCCESS);
    return read<cl_uint>(out, Count);
  }
};

struct AlignedTo : Aligned, testing::WithParamInterface<int> {
  Program program() { return built(AlignmentSource, ("-DALIGNMENT=" + std::to_string(GetParam())).c_str()); }
};

TEST_P(AlignedTo, PrivateVariables) {
  PROVES("LANG-1.11a");
  Program aligned = program();
  for (const char *name : {"short_lived", "large"}) {
    SCOPED_TRACE(name);
    const std::vector<cl_uint> got = result(aligned, name);
    for (cl_uint i = 0; i < Count; ++i)
      EXPECT_EQ(got[i], (i + at[i] % 32) % 256 + at[i] % 3 * i % 256) << i;
  }
}

TEST_P(AlignedTo, AcrossBarriers) {
  PROVES("LANG-1.11a");
  const std::vector<cl_uint> got = result(program(), "across_barrier");
  for (cl_uint i = 0; i < Count; ++i)
    EXPECT_EQ(got[i], (i + at[i] % 32) % 256 + at[i] % 3 * i % 256) << i;
}

TEST_P(AlignedTo, Arguments) {
  PROVES("LANG-1.11a");
  Program aligned = program();
  std::vector<cl_uint> words(std::max<size_t>(16, size_t(GetParam()) / 4));
  for (cl_uint i = 0; i < 16; ++i)
    words[i] = 1000 + i * i;
  for (const char *name : {"argument", "own_argument"}) {
    SCOPED_TRACE(name);
    const std::vector<cl_uint> got = result(aligned, name, words);
    for (cl_uint i = 0; i < Count; ++i) {
      const bool isLast =
          at[i] % 16 == 15 && std::string(name) == "own_argument"; // then all.sf is the incremented element
      EXPECT_EQ(got[i], words[at[i] % 16] - words[15] + !isLast) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bytes, AlignedTo, testing::Values(16, 64, 128, 256, 1024), testing::PrintToStringParamName());

TEST_F(Aligned, VectorArguments) {
  PROVES("LANG-1.1.5");
  Program program = built(R"(
    kernel void sum(global ulong *out, uchar a, ulong16 b, uchar c, uint8 d, ushort16 e, uchar f, long3 g, uint3 h) {
      const size_t i = get_global_id(0);
      out[i] = a + b.s0 + b.sf + c + d.s0 + d.s7 + e.s0 + e.sf + f + g.x + g.z + h.x + h.z + i;
    }
  )");
  Kernel sum = kernel(program, "sum");
  Mem out = buffer(8 * Count);
  EXPECT_EQ(set(sum, 0, out), CL_SUCCESS);
  cl_ulong expected = 0;
  auto vector = [&]<typename T>(cl_uint index, const T &first) { // the kernel reads the first and the last component
    const size_t count = index == 7 || index == 8 ? 3 : sizeof first / sizeof first.s[0];
    T value{};
    for (size_t k = 0; k < count; ++k)
      value.s[k] = first.s[0] + 100 * k;
    expected += value.s[0] + value.s[count - 1];
    EXPECT_EQ(set(sum, index, value), CL_SUCCESS);
  };
  for (cl_uint index : {1u, 3u, 6u}) {
    EXPECT_EQ(set(sum, index, cl_uchar(index * 11)), CL_SUCCESS);
    expected += index * 11;
  }
  vector(2, cl_ulong16{{1ul << 40}});
  vector(4, cl_uint8{{70000}});
  vector(5, cl_ushort16{{3000}});
  vector(7, cl_long3{{1l << 50}});
  vector(8, cl_uint3{{90000}});
  EXPECT_EQ(launch(sum, Count), CL_SUCCESS);
  const std::vector<cl_ulong> got = read<cl_ulong>(out, Count);
  for (cl_uint i = 0; i < Count; ++i)
    EXPECT_EQ(got[i], expected + i) << i;
}

// An alignment of 64 MiB, which is larger than a thread's stack and than the device's local memory.
TEST_F(Aligned, AlignmentAboveTheStackSize) {
  PROVES("LANG-1.11a");
  constexpr const char *Source = R"(
    kernel void own(global uint *out) {
      uint values[16] __attribute__((aligned(1 << 26)));
      for (uint k = 0; k < 16; ++k)
        values[k] = k;
      out[get_global_id(0)] = values[out[get_global_id(0)] & 15] + (uint)((ulong)values & ((1 << 26) - 1));
    }
    kernel void together(global uint *out) {
      local uint values[16] __attribute__((aligned(1 << 26)));
      values[get_local_id(0)] = get_local_id(0);
      barrier(CLK_LOCAL_MEM_FENCE);
      out[get_global_id(0)] = values[get_local_id(0) ^ 1];
    }
  )";
  if (query<cl_device_type>(clGetDeviceInfo, device, CL_DEVICE_TYPE) != CL_DEVICE_TYPE_CPU)
    GTEST_SKIP() << "the largest alignment of variables depends on the GPU's driver";
  Program program = built(Source);
  Kernel own = kernel(program, "own"), together = kernel(program, "together");
  std::vector<cl_uint> at(Count);
  std::iota(at.begin(), at.end(), 0);
  Mem out = buffer(4 * Count, CL_MEM_COPY_HOST_PTR, at.data());
  const size_t size = Count, local = 16;
  EXPECT_EQ(set(own, 0, out), CL_SUCCESS);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue, own, 1, nullptr, &size, &local, 0, nullptr, nullptr), CL_SUCCESS);
  const std::vector<cl_uint> got = read<cl_uint>(out, Count);
  for (cl_uint i = 0; i < Count; ++i)
    EXPECT_EQ(got[i], i % 16) << i;
  EXPECT_EQ(set(together, 0, out), CL_SUCCESS);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue, together, 1, nullptr, &size, &local, 0, nullptr, nullptr),
            CL_OUT_OF_RESOURCES);
}

} // namespace
} // namespace kiln::test
