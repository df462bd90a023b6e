// The multiplications of cooperative matrices that devices have: what queries report and the compiler accepts.
#pragma once
#include <cstdint>
#include <span>

namespace kiln::abi {

/// The values are those of cl_device_cooperative_matrix_component_type_khr.
enum class MatrixComponent : uint32_t { F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64 };

constexpr unsigned bitsOf(MatrixComponent component) {
  constexpr unsigned bits[] = {16, 32, 64, 8, 16, 32, 64, 8, 16, 32, 64};
  return bits[unsigned(component)];
}
/// Returns the component's type in OpenCL C.
constexpr const char *nameOf(MatrixComponent component) {
  constexpr const char *names[] = {"half", "float", "double", "char", "short", "int",
                                   "long", "uchar", "ushort", "uint", "ulong"};
  return names[unsigned(component)];
}
constexpr bool isFloat(MatrixComponent component) { return component <= MatrixComponent::F64; }

/// An m x k matrix by a k x n matrix, plus an m x n matrix, whose component type is that of the result.
struct MatrixVariant {
  uint32_t m, n, k;
  MatrixComponent a, b, c;
  bool saturates;
};

/// Returns true if each work-item of a sub-group has as many components of each matrix.
constexpr bool fits(const MatrixVariant &variant, uint64_t subGroupSize) {
  const uint64_t m = variant.m, n = variant.n, k = variant.k;
  return subGroupSize && m * n % subGroupSize == 0 && m * k % subGroupSize == 0 && k * n % subGroupSize == 0;
}

/// Bytes that the first component of a matrix in memory, and the distance of its rows or columns, must be a multiple
/// of.
inline constexpr uint32_t MatrixAlignment = 8;

// clang-format off: a table
/// All devices have these.
inline constexpr MatrixVariant MatrixVariants[] = {
    // half
    {16, 16, 16, MatrixComponent::F16, MatrixComponent::F16, MatrixComponent::F32, false},
    {16, 16, 16, MatrixComponent::F16, MatrixComponent::F16, MatrixComponent::F16, false},
    {16,  8, 16, MatrixComponent::F16, MatrixComponent::F16, MatrixComponent::F32, false},
    {16,  8, 16, MatrixComponent::F16, MatrixComponent::F16, MatrixComponent::F16, false},
    // float and double
    {16, 16, 16, MatrixComponent::F32, MatrixComponent::F32, MatrixComponent::F32, false},
    {16, 16,  8, MatrixComponent::F32, MatrixComponent::F32, MatrixComponent::F32, false},
    {16, 16, 16, MatrixComponent::F64, MatrixComponent::F64, MatrixComponent::F64, false},
    {16, 16,  8, MatrixComponent::F64, MatrixComponent::F64, MatrixComponent::F64, false},
    // bytes
    {16, 16, 16, MatrixComponent::I8,  MatrixComponent::I8,  MatrixComponent::I32, false},
    {16, 16, 16, MatrixComponent::U8,  MatrixComponent::U8,  MatrixComponent::U32, false},
    {16, 16, 16, MatrixComponent::U8,  MatrixComponent::U8,  MatrixComponent::I32, false},
    {16, 16, 16, MatrixComponent::I8,  MatrixComponent::U8,  MatrixComponent::I32, false},
    {16, 16, 16, MatrixComponent::U8,  MatrixComponent::I8,  MatrixComponent::I32, false},
    {16, 16, 16, MatrixComponent::I8,  MatrixComponent::I8,  MatrixComponent::I32, true},
    {16, 16, 16, MatrixComponent::U8,  MatrixComponent::U8,  MatrixComponent::U32, true},
    {16, 16, 32, MatrixComponent::I8,  MatrixComponent::I8,  MatrixComponent::I32, false},
    {16, 16, 32, MatrixComponent::U8,  MatrixComponent::U8,  MatrixComponent::U32, false},
    {16, 16, 32, MatrixComponent::I8,  MatrixComponent::I8,  MatrixComponent::I32, true},
    {16, 16, 32, MatrixComponent::U8,  MatrixComponent::U8,  MatrixComponent::U32, true},
};
// clang-format on

} // namespace kiln::abi
