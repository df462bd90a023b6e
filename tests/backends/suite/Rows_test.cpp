// Loops that read consecutive elements: compilers load several at once if the arguments allow it.
#include "tests/backends/suite/Suite.h"

namespace kiln::suite {

class DeviceRows : public OnDevice {
protected:
  /// Every length up to 20, and rows that begin at every element of the first 32 bytes. The result depends on the order
  /// of the elements and on each of them.
  template <typename T> void expectEveryRow(const std::string &type) {
    constexpr size_t Rows = 40, MaxLength = 20, MaxShift = 9, Count = Rows * MaxLength + MaxShift;
    std::vector<T> values(Count);
    for (size_t i = 0; i < Count; ++i)
      values[i] = T(i * 7 % 101);
    Program program = build(("typedef " + type +
                             " T; kernel void run(global ulong *out, global const T *in, uint shift, uint rows, "
                             "uint length) { uint row = get_global_id(0); if (row >= rows) return;"
                             "  global const T *all = in + shift; ulong sum = 1;"
                             "  for (uint i = 0; i < length; ++i) sum = sum * 3 + (ulong)all[row * length + i];"
                             "  out[row] = sum; }")
                                .c_str());
    ASSERT_NE(program, nullptr);
    Kernel run = kernel(program, "run");
    Mem in = buffer(values), out = buffer(std::vector<cl_ulong>(Rows));
    for (cl_uint shift = 0; shift < MaxShift; ++shift)
      for (cl_uint length = 0; length <= MaxLength; ++length) {
        set(run, 0, out, in, shift, cl_uint(Rows), length);
        launch(run, {Rows});
        std::vector<cl_ulong> expected(Rows, 1);
        for (size_t row = 0; row < Rows; ++row)
          for (size_t i = 0; i < length; ++i)
            expected[row] = expected[row] * 3 + cl_ulong(values[shift + row * length + i]);
        ASSERT_EQ(read<cl_ulong>(out, Rows), expected) << type << ", shift " << shift << ", length " << length;
      }
  }
};

TEST_P(DeviceRows, EveryLengthAndStart) {
  expectEveryRow<cl_uchar>("uchar");
  expectEveryRow<cl_short>("short");
  expectEveryRow<cl_float>("float");
  expectEveryRow<cl_long>("long");
  if (fp64())
    expectEveryRow<cl_double>("double");
}

// A row is read beside a column, in a loop inside a loop, with indices of every kind.
TEST_P(DeviceRows, BesideColumns) {
  constexpr size_t Size = 24;
  const std::vector<cl_int> a = counted<cl_int>(Size * Size, 1), b = counted<cl_int>(Size * Size, 5);
  Mem out = buffer(std::vector<cl_int>(Size * Size)), inA = buffer(a), inB = buffer(b);
  std::vector<cl_int> expected(Size * Size);
  for (size_t row = 0; row < Size; ++row)
    for (size_t column = 0; column < Size; ++column)
      for (size_t k = 0; k < Size; ++k)
        expected[row * Size + column] += a[row * Size + k] * b[k * Size + column];
  for (const char *index : {"int", "uint", "ulong"}) {
    const std::string source = "typedef " + std::string(index) +
                               " T; kernel void run(global int *out, global const int *a, global const int *b, int n) {"
                               "  T row = get_global_id(0);"
                               "  for (T column = 0; column < n; ++column) { int sum = 0;"
                               "    for (T k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];"
                               "    out[row * n + column] = sum; } }";
    runKernel(source.c_str(), {Size}, {}, out, inA, inB, cl_int(Size));
    EXPECT_EQ(read<cl_int>(out, Size * Size), expected) << index;
  }
}

ON_EVERY_DEVICE(DeviceRows);

} // namespace kiln::suite
