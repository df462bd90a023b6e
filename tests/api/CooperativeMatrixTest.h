// Programs with cooperative matrices of any variant that a device reports, and what they must compute.
#pragma once
#include "api/spec/CooperativeMatrix.h"
#include "base/abi/MatrixVariants.h"
#include "tests/api/ProgramTest.h"
#include <cmath>
#include <limits>
#include <random>

namespace kiln::test {

using Variant = khr::cooperative_matrix_variant;

inline const char *typeName(cl_uint component) { return abi::nameOf(abi::MatrixComponent(component)); }
inline unsigned bytesOf(cl_uint component) { return abi::bitsOf(abi::MatrixComponent(component)) / 8; }
inline bool isFloat(cl_uint component) { return abi::isFloat(abi::MatrixComponent(component)); }
inline bool isSigned(cl_uint component) { return component <= cl_uint(abi::MatrixComponent::I64); }

/// The components of a matrix, by rows. Every component type's values are exact in long double.
struct Matrix {
  cl_uint component, rows, columns;
  std::vector<long double> values;

  long double &at(cl_uint row, cl_uint column) { return values[row * columns + column]; }
  long double at(cl_uint row, cl_uint column) const { return values[row * columns + column]; }
};

inline uint16_t halfOf(double value) { // of a multiple of 1/16 below 2048, an infinity or a NaN
  if (std::isnan(value))
    return 0x7e00;
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isinf(value) || value == 0)
    return sign | (value == 0 ? 0 : 0x7c00);
  int exponent;
  const double part = std::frexp(std::abs(value), &exponent);
  return uint16_t(sign | (exponent + 14) << 10 | (int(part * 2048) & 0x3ff));
}
inline double fromHalf(uint16_t bits) {
  const int exponent = bits >> 10 & 31, part = bits & 0x3ff;
  const double size = exponent == 31 ? (part ? NAN : INFINITY)
                      : exponent     ? std::ldexp(1024 + part, exponent - 25)
                                     : std::ldexp(part, -24);
  return bits & 0x8000 ? -size : size;
}

/// A matrix in memory. `stride`: components from a row, or a column, to the next one.
struct InMemory {
  bool byRows;
  cl_uint stride;

  size_t offset(cl_uint row, cl_uint column) const { return byRows ? row * stride + column : column * stride + row; }
  size_t components(const Matrix &matrix) const { return size_t(byRows ? matrix.rows : matrix.columns) * stride; }
};

inline void put(std::vector<unsigned char> &bytes, size_t at, cl_uint component, long double value) {
  const auto as = [&]<typename T>(T number) { std::memcpy(&bytes[at * sizeof(T)], &number, sizeof(T)); };
  switch (abi::MatrixComponent(component)) {
  case abi::MatrixComponent::F16:
    return as(halfOf(double(value)));
  case abi::MatrixComponent::F32:
    return as(float(value));
  case abi::MatrixComponent::F64:
    return as(double(value));
  case abi::MatrixComponent::I8:
    return as(int8_t(value));
  case abi::MatrixComponent::U8:
    return as(uint8_t(value));
  case abi::MatrixComponent::I32:
    return as(int32_t(value));
  case abi::MatrixComponent::U32:
    return as(uint32_t(value));
  default:
    FAIL() << "no variant has this type";
  }
}

inline long double get(const std::vector<unsigned char> &bytes, size_t at, cl_uint component) {
  const auto as = [&]<typename T>(T number) {
    std::memcpy(&number, &bytes[at * sizeof(T)], sizeof(T));
    return number;
  };
  switch (abi::MatrixComponent(component)) {
  case abi::MatrixComponent::F16:
    return fromHalf(as(uint16_t()));
  case abi::MatrixComponent::F32:
    return as(float());
  case abi::MatrixComponent::F64:
    return as(double());
  case abi::MatrixComponent::I8:
    return as(int8_t());
  case abi::MatrixComponent::U8:
    return as(uint8_t());
  case abi::MatrixComponent::I32:
    return as(int32_t());
  case abi::MatrixComponent::U32:
    return as(uint32_t());
  default:
    ADD_FAILURE() << "no variant has this type";
    return 0;
  }
}

/// Wraps or saturates an exact sum as a component type does.
inline long double narrowed(long double sum, cl_uint component, bool saturates) {
  if (isFloat(component))
    return sum;
  const long double range = std::ldexp(1.0L, int(8 * bytesOf(component))), low = isSigned(component) ? -range / 2 : 0;
  if (saturates)
    return std::min(std::max(sum, low), low + range - 1);
  return sum - range * std::floor((sum - low) / range);
}

inline Matrix product(const Matrix &a, const Matrix &b, const Matrix &c, const Variant &variant) {
  Matrix result{variant.result_type, c.rows, c.columns, c.values};
  for (cl_uint row = 0; row < c.rows; ++row)
    for (cl_uint column = 0; column < c.columns; ++column) {
      long double sum = c.at(row, column);
      for (cl_uint k = 0; k < a.columns; ++k)
        sum += a.at(row, k) * b.at(k, column);
      result.at(row, column) = narrowed(sum, variant.result_type, variant.saturating_accumulation);
    }
  return result;
}

struct CooperativeMatrix : WithProgram {
  void SetUp() override {
    WithProgram::SetUp();
    if (IsSkipped())
      return;
    if ((" " + queryText(clGetDeviceInfo, device, CL_DEVICE_EXTENSIONS) + " ").find(" cl_khr_cooperative_matrix ") ==
        std::string::npos)
      GTEST_SKIP() << "the device does not support cl_khr_cooperative_matrix";
    cl_platform_id platform = query<cl_platform_id>(clGetDeviceInfo, device, CL_DEVICE_PLATFORM);
    info = reinterpret_cast<khr::clGetDeviceCooperativeMatrixInfoKHR_t *>(
        clGetExtensionFunctionAddressForPlatform(platform, "clGetDeviceCooperativeMatrixInfoKHR"));
    ASSERT_NE(info, nullptr);
  }

  std::vector<Variant> variants() {
    size_t bytes = 0;
    EXPECT_EQ(info(device, CL_DEVICE_COOPERATIVE_MATRIX_DEFAULT_SUB_GROUP_VARIANTS_KHR, 0, nullptr, 0, nullptr, &bytes),
              CL_SUCCESS);
    EXPECT_EQ(bytes % sizeof(Variant), 0u);
    std::vector<Variant> found(bytes / sizeof(Variant));
    EXPECT_EQ(info(device, CL_DEVICE_COOPERATIVE_MATRIX_DEFAULT_SUB_GROUP_VARIANTS_KHR, 0, nullptr, bytes, found.data(),
                   nullptr),
              CL_SUCCESS);
    return found;
  }

  /// The work-items of a sub-group of a kernel that requires no size.
  size_t subGroupSize() {
    Program program = built("kernel void k(global uint *o) { o[0] = get_max_sub_group_size(); }", "-cl-std=CL3.0");
    Kernel k = kernel(program, "k");
    Mem out = buffer(4);
    set(k, 0, out);
    const size_t items = 64;
    EXPECT_EQ(launch(k, items, &items), CL_SUCCESS);
    return read<cl_uint>(out, 1)[0];
  }

  /// The types `ma`, `mb` and `mc` of a variant.
  static std::string typesOf(const Variant &v) {
    std::string text = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
    const auto add = [&](cl_uint component, cl_uint rows, cl_uint columns, const char *use, const char *name) {
      text += std::string("typedef ") + typeName(component) + " __attribute__((coop_mat(memory_scope_sub_group, " +
              std::to_string(rows) + ", " + std::to_string(columns) + ", CLK_COOPERATIVE_MATRIX_" + use + "))) " +
              name + ";\n";
    };
    add(v.a_type, v.m_size, v.k_size, "A", "ma");
    add(v.b_type, v.k_size, v.n_size, "B", "mb");
    add(v.c_type, v.m_size, v.n_size, "ACCUMULATOR", "mc");
    return text;
  }

  static std::string describe(const Variant &v) {
    return std::to_string(v.m_size) + "x" + std::to_string(v.n_size) + "x" + std::to_string(v.k_size) + " " +
           typeName(v.a_type) + " * " + typeName(v.b_type) + " + " + typeName(v.c_type) +
           (v.saturating_accumulation ? " saturating" : "");
  }

  /// Small numbers whose sums are exact, or any integers.
  Matrix random(cl_uint component, cl_uint rows, cl_uint columns) {
    Matrix matrix{component, rows, columns, {}};
    for (cl_uint i = 0; i < rows * columns; ++i)
      if (isFloat(component)) {
        matrix.values.push_back((int(generator() % 33) - 16) / 4.0L);
      } else {
        const long double any = (long double)(generator()) * 4294967296.0L + generator();
        matrix.values.push_back(narrowed(any, component, false));
        if (generator() % 8 == 0) // an extreme
          matrix.values.back() = narrowed(generator() % 2 ? -1e30L : 1e30L, component, true);
      }
    return matrix;
  }

  Mem memory(const Matrix &matrix, InMemory layout, std::vector<unsigned char> &bytes) {
    bytes.assign(layout.components(matrix) * bytesOf(matrix.component), 0x5a);
    for (cl_uint row = 0; row < matrix.rows; ++row)
      for (cl_uint column = 0; column < matrix.columns; ++column)
        put(bytes, layout.offset(row, column), matrix.component, matrix.at(row, column));
    return buffer(bytes.size(), CL_MEM_COPY_HOST_PTR, bytes.data());
  }

  /// Compares a buffer with a matrix, and what is between its rows with `before`.
  void expectHolds(cl_mem from, const Matrix &expected, InMemory layout, const std::vector<unsigned char> &before) {
    std::vector<unsigned char> bytes = read<unsigned char>(from, before.size()), rest = before;
    const unsigned size = bytesOf(expected.component);
    for (cl_uint row = 0; row < expected.rows; ++row)
      for (cl_uint column = 0; column < expected.columns; ++column) {
        const size_t at = layout.offset(row, column);
        const long double got = get(bytes, at, expected.component), value = expected.at(row, column);
        if (!(got == value || (std::isnan(got) && std::isnan(value))))
          FAIL() << "row " << row << ", column " << column << ": " << double(got) << ", must be " << double(value);
        std::copy_n(&bytes[at * size], size, &rest[at * size]);
      }
    EXPECT_TRUE(bytes == rest) << "bytes between the rows were written";
  }

  khr::clGetDeviceCooperativeMatrixInfoKHR_t *info = nullptr;
  std::mt19937 generator{1};
};

} // namespace kiln::test
