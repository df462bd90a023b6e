// Built-in functions that Clang does not declare, in terms of the translator's names for SPIR-V instructions or of
// functions that Clang declares. Included before every source that may use one of them (FrontEnd.cpp).

#define __kiln_overloaded __attribute__((overloadable))
#define __kiln_built_in static inline __attribute__((overloadable, always_inline))

#if defined(cl_khr_work_group_uniform_arithmetic) && (__OPENCL_C_VERSION__ >= 200 || defined(__OPENCL_CPP_VERSION__))
// Scope Workgroup is 2. Group operations: Reduce is 0, InclusiveScan 1, ExclusiveScan 2.
#define __kiln_group_function(NAME, INSTRUCTION, TYPE)                                                                 \
  TYPE __kiln_overloaded __spirv_Group##INSTRUCTION##KHR(uint, uint, TYPE);                                            \
  __kiln_built_in TYPE work_group_reduce_##NAME(TYPE x) { return __spirv_Group##INSTRUCTION##KHR(2u, 0u, x); }         \
  __kiln_built_in TYPE work_group_scan_inclusive_##NAME(TYPE x) { return __spirv_Group##INSTRUCTION##KHR(2u, 1u, x); } \
  __kiln_built_in TYPE work_group_scan_exclusive_##NAME(TYPE x) { return __spirv_Group##INSTRUCTION##KHR(2u, 2u, x); }
#define __kiln_group_function_of_integers(NAME, INSTRUCTION)                                                           \
  __kiln_group_function(NAME, INSTRUCTION, int) __kiln_group_function(NAME, INSTRUCTION, uint)                         \
      __kiln_group_function(NAME, INSTRUCTION, long) __kiln_group_function(NAME, INSTRUCTION, ulong)
#define __kiln_group_logic(NAME, INSTRUCTION)                                                                          \
  bool __kiln_overloaded __spirv_Group##INSTRUCTION##KHR(uint, uint, bool);                                            \
  __kiln_built_in int work_group_reduce_##NAME(int x) { return __spirv_Group##INSTRUCTION##KHR(2u, 0u, x != 0); }      \
  __kiln_built_in int work_group_scan_inclusive_##NAME(int x) {                                                        \
    return __spirv_Group##INSTRUCTION##KHR(2u, 1u, x != 0);                                                            \
  }                                                                                                                    \
  __kiln_built_in int work_group_scan_exclusive_##NAME(int x) {                                                        \
    return __spirv_Group##INSTRUCTION##KHR(2u, 2u, x != 0);                                                            \
  }

// clang-format off
__kiln_group_function_of_integers(mul, IMul)
__kiln_group_function_of_integers(and, BitwiseAnd)
__kiln_group_function_of_integers(or, BitwiseOr)
__kiln_group_function_of_integers(xor, BitwiseXor)
__kiln_group_function(mul, FMul, float)
#ifdef cl_khr_fp64
__kiln_group_function(mul, FMul, double)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kiln_group_function(mul, FMul, half)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif
__kiln_group_logic(logical_and, LogicalAnd)
__kiln_group_logic(logical_or, LogicalOr)
__kiln_group_logic(logical_xor, LogicalXor)
// clang-format on

#undef __kiln_group_logic
#undef __kiln_group_function_of_integers
#undef __kiln_group_function
#endif

// Clang 19 declares these functions, and its translator replaces their calls by OpReadClockKHR.
#if defined(cl_khr_kernel_clock) && __clang_major__ < 19 &&                                                            \
    (__OPENCL_C_VERSION__ >= 120 || defined(__OPENCL_CPP_VERSION__))
    // This function has no definition: ToSpirv.cpp replaces its calls by OpReadClockKHR.
    ulong __kiln_overloaded __spirv_ReadClockKHR(uint);
#define __kiln_clock(NAME, SCOPE)                                                                                      \
  __kiln_built_in ulong clock_read_##NAME(void) { return __spirv_ReadClockKHR(SCOPE); }                                \
  __kiln_built_in uint2 clock_read_hilo_##NAME(void) { return __builtin_astype(__spirv_ReadClockKHR(SCOPE), uint2); }
// clang-format off
#if defined(__opencl_c_kernel_clock_scope_device) || __OPENCL_C_VERSION__ < 300
__kiln_clock(device, 1u)
#endif
#if defined(__opencl_c_kernel_clock_scope_work_group) || __OPENCL_C_VERSION__ < 300
__kiln_clock(work_group, 2u)
#endif
#if defined(__opencl_c_kernel_clock_scope_sub_group) || __OPENCL_C_VERSION__ < 300
__kiln_clock(sub_group, 3u)
#endif
// clang-format on
#undef __kiln_clock
#endif

// Clang declares atomic_init for every atomic type except atomic_half. If a header declares a function, Clang adds
// no built-in overloads of it, so this header declares all of them.
#if defined(__opencl_c_ext_fp16_global_atomic_load_store) || defined(__opencl_c_ext_fp16_local_atomic_load_store)
#define __kiln_atomic_init(SPACE, TYPE) void __kiln_overloaded atomic_init(volatile SPACE atomic_##TYPE *, TYPE);
#ifdef __opencl_c_generic_address_space
#define __kiln_atomic_init_generic(TYPE) __kiln_atomic_init(__generic, TYPE)
#else
#define __kiln_atomic_init_generic(TYPE)
#endif
#if __OPENCL_C_VERSION__ >= 300 || __OPENCL_CPP_VERSION__ >= 202100
#define __kiln_atomic_inits(TYPE)                                                                                      \
  __kiln_atomic_init(__global, TYPE) __kiln_atomic_init(__local, TYPE) __kiln_atomic_init_generic(TYPE)
#else
#define __kiln_atomic_inits(TYPE) __kiln_atomic_init_generic(TYPE)
#endif
// clang-format off
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kiln_atomic_inits(int)
__kiln_atomic_inits(uint)
__kiln_atomic_inits(float)
__kiln_atomic_inits(half)
#if defined(cl_khr_int64_base_atomics) && defined(cl_khr_int64_extended_atomics)
__kiln_atomic_inits(long)
__kiln_atomic_inits(ulong)
#ifdef cl_khr_fp64
__kiln_atomic_inits(double)
#endif
#endif
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
// clang-format on
#undef __kiln_atomic_inits
#undef __kiln_atomic_init_generic
#undef __kiln_atomic_init
#endif

// The specification (OpenCL C 3.0, 6.15.7) has vloada_halfn and vstorea_halfn for n = 1 as well, which Clang does not
// declare. Their alignment is that of vload_half and vstore_half. OpenCL C 1.0 and 1.1 have no static functions.
#if __OPENCL_C_VERSION__ >= 120 || defined(__OPENCL_CPP_VERSION__)
#define __kiln_aligned_load(SPACE)                                                                                     \
  __kiln_built_in float vloada_half(size_t offset, const SPACE half *p) { return vload_half(offset, p); }
#define __kiln_aligned_store(SPACE, TYPE, MODE)                                                                        \
  __kiln_built_in void vstorea_half##MODE(TYPE x, size_t offset, SPACE half *p) { vstore_half##MODE(x, offset, p); }
#define __kiln_aligned_stores_of(SPACE, TYPE)                                                                          \
  __kiln_aligned_store(SPACE, TYPE, ) __kiln_aligned_store(SPACE, TYPE, _rte) __kiln_aligned_store(SPACE, TYPE, _rtz)  \
      __kiln_aligned_store(SPACE, TYPE, _rtp) __kiln_aligned_store(SPACE, TYPE, _rtn)
// clang-format off
#ifdef cl_khr_fp64
#define __kiln_aligned_stores(SPACE) __kiln_aligned_stores_of(SPACE, float) __kiln_aligned_stores_of(SPACE, double)
#else
#define __kiln_aligned_stores(SPACE) __kiln_aligned_stores_of(SPACE, float)
#endif
__kiln_aligned_load(__constant)
__kiln_aligned_load(__global) __kiln_aligned_stores(__global)
__kiln_aligned_load(__local) __kiln_aligned_stores(__local)
__kiln_aligned_load(__private) __kiln_aligned_stores(__private)
#ifdef __opencl_c_generic_address_space
__kiln_aligned_load(__generic) __kiln_aligned_stores(__generic)
#endif
// clang-format on
#undef __kiln_aligned_stores
#undef __kiln_aligned_stores_of
#undef __kiln_aligned_store
#undef __kiln_aligned_load
#endif

#undef __kiln_built_in
#undef __kiln_overloaded
