// The part of OpenCL C that the suite's kernels use, for CUDA C++. twins.py rewrites what macros and types cannot express:
// vector literals, `.xyz`, and the address spaces of declarations.
#pragma once
#include <cfloat>

using uchar = unsigned char;

#define CLK_LOCAL_MEM_FENCE 1
#define barrier(flags) __syncthreads()

/// A kernel's argument in local memory; a kernel has at most one. It has no value: the memory is the launch's.
extern __shared__ __align__(16) char launchLocalMemory[];
template <typename T> struct Local {
  __device__ operator T *() const { return reinterpret_cast<T *>(launchLocalMemory); }
};

#define PER_DIMENSION(name, type, x, y, z)                                                                             \
  __device__ __forceinline__ size_t name(unsigned dimension) {                                                         \
    return dimension == 0 ? (x) : dimension == 1 ? (y) : (z);                                                          \
  }
PER_DIMENSION(get_local_id, size_t, threadIdx.x, threadIdx.y, threadIdx.z)
PER_DIMENSION(get_group_id, size_t, blockIdx.x, blockIdx.y, blockIdx.z)
PER_DIMENSION(get_local_size, size_t, blockDim.x, blockDim.y, blockDim.z)
PER_DIMENSION(get_global_id, size_t, blockIdx.x *blockDim.x + threadIdx.x, blockIdx.y *blockDim.y + threadIdx.y,
              blockIdx.z *blockDim.z + threadIdx.z)
PER_DIMENSION(get_global_size, size_t, gridDim.x *blockDim.x, gridDim.y *blockDim.y, gridDim.z *blockDim.z)
#undef PER_DIMENSION

__device__ __forceinline__ unsigned atomic_inc(unsigned *at) { return atomicAdd(at, 1u); }
__device__ __forceinline__ unsigned atomic_inc(volatile unsigned *at) {
  return atomicAdd(const_cast<unsigned *>(at), 1u);
}
__device__ __forceinline__ unsigned atomic_add(unsigned *at, unsigned value) { return atomicAdd(at, value); }
__device__ __forceinline__ unsigned rotate(unsigned value, unsigned bits) {
  return __funnelshift_l(value, value, bits);
}

// CUDA's float2, float3 and float4 have no operators.
__device__ __forceinline__ float2 makeFloat2(float all) { return {all, all}; }
__device__ __forceinline__ float2 makeFloat2(float x, float y) { return {x, y}; }
__device__ __forceinline__ float3 makeFloat3(float all) { return {all, all, all}; }
__device__ __forceinline__ float3 makeFloat3(float x, float y, float z) { return {x, y, z}; }
__device__ __forceinline__ float4 makeFloat4(float all) { return {all, all, all, all}; }
__device__ __forceinline__ float4 makeFloat4(float x, float y, float z, float w) { return {x, y, z, w}; }
__device__ __forceinline__ float4 makeFloat4(float3 v, float w) { return {v.x, v.y, v.z, w}; }
__device__ __forceinline__ float3 xyz(float4 v) { return {v.x, v.y, v.z}; }

#define OPERATOR(op)                                                                                                   \
  __device__ __forceinline__ float2 operator op(float2 a, float2 b) { return {a.x op b.x, a.y op b.y}; }               \
  __device__ __forceinline__ float3 operator op(float3 a, float3 b) { return {a.x op b.x, a.y op b.y, a.z op b.z}; }   \
  __device__ __forceinline__ float4 operator op(float4 a, float4 b) {                                                  \
    return {a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w};                                                           \
  }                                                                                                                    \
  __device__ __forceinline__ float3 operator op(float3 a, float b) { return a op makeFloat3(b); }                      \
  __device__ __forceinline__ float3 operator op(float a, float3 b) { return makeFloat3(a) op b; }                      \
  __device__ __forceinline__ float4 operator op(float4 a, float b) { return a op makeFloat4(b); }                      \
  __device__ __forceinline__ float4 operator op(float a, float4 b) { return makeFloat4(a) op b; }                      \
  __device__ __forceinline__ float3 &operator op##=(float3 & a, float3 b) { return a = a op b; }
OPERATOR(+)
OPERATOR(-)
OPERATOR(*)
OPERATOR(/)
#undef OPERATOR

__device__ __forceinline__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ __forceinline__ float3 normalize(float3 v) { return v * rsqrt(dot(v, v)); }

/// A vector of 16 integers. Operators compute each component in T, as OpenCL C does, and not in int.
template <typename T> struct alignas(16 * sizeof(T)) Vector16 {
  T s[16];
};
using uchar16 = Vector16<unsigned char>;
using char16 = Vector16<signed char>;
using ushort16 = Vector16<unsigned short>;

template <typename R, typename Compute> __device__ __forceinline__ Vector16<R> eachOf16(Compute compute) {
  Vector16<R> result;
#pragma unroll
  for (int i = 0; i < 16; ++i)
    result.s[i] = R(compute(i));
  return result;
}
#define OPERATOR(op)                                                                                                   \
  template <typename T> __device__ __forceinline__ Vector16<T> operator op(Vector16<T> a, Vector16<T> b) {             \
    return eachOf16<T>([&](int i) { return a.s[i] op b.s[i]; });                                                       \
  }                                                                                                                    \
  template <typename T> __device__ __forceinline__ Vector16<T> operator op(Vector16<T> a, T b) {                       \
    return eachOf16<T>([&](int i) { return a.s[i] op b; });                                                            \
  }
OPERATOR(+)
OPERATOR(*)
OPERATOR(|)
OPERATOR(>>)
#undef OPERATOR
// True components have all bits set.
__device__ __forceinline__ char16 operator>=(uchar16 a, uchar b) {
  return eachOf16<signed char>([&](int i) { return a.s[i] >= b ? -1 : 0; });
}
__device__ __forceinline__ char16 operator<=(uchar16 a, uchar b) {
  return eachOf16<signed char>([&](int i) { return a.s[i] <= b ? -1 : 0; });
}
__device__ __forceinline__ char16 operator&&(char16 a, char16 b) {
  return eachOf16<signed char>([&](int i) { return a.s[i] && b.s[i] ? -1 : 0; });
}
__device__ __forceinline__ uchar16 select(uchar16 no, uchar16 yes, char16 condition) {
  return eachOf16<unsigned char>([&](int i) { return condition.s[i] < 0 ? yes.s[i] : no.s[i]; });
}
__device__ __forceinline__ ushort16 convert_ushort16(uchar16 v) {
  return eachOf16<unsigned short>([&](int i) { return v.s[i]; });
}
__device__ __forceinline__ uchar16 convert_uchar16(ushort16 v) {
  return eachOf16<unsigned char>([&](int i) { return v.s[i]; });
}
