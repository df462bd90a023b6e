// REQUIRES: ptxas
// ptxas accepts kilnc's output: every math function, all atomics, unusual names and control flow.
// RUN: kiln-clc -cl-std=CL2.0 %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 %t.spv -o %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
// RUN: kilnc --target=nvptx:sm_75 --options=-cl-fast-relaxed-math %t.spv -o %t.ptx
// RUN: %ptxas -arch=sm_75 %t.ptx -o %t.cubin
// RUN: kilnc --target=nvptx:sm_90 --options=-cl-opt-disable %t.spv -o %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

#define ONE(name)                                                                                                      \
  kernel void float_##name(global float *x) { x[get_global_id(0)] = name(x[get_global_id(0)]); }                       \
  kernel void double_##name(global double *x) { x[get_global_id(0)] = name(x[get_global_id(0)]); }
#define TWO(name)                                                                                                      \
  kernel void float_##name(global float *x) { x[get_global_id(0)] = name(x[get_global_id(0)], x[get_global_id(1)]); }  \
  kernel void double_##name(global double *x) { x[get_global_id(0)] = name(x[get_global_id(0)], x[get_global_id(1)]); }
#define WITH_INT(name)                                                                                                 \
  kernel void float_##name(global float *x, int n) { x[get_global_id(0)] = name(x[get_global_id(0)], n); }             \
  kernel void double_##name(global double *x, int n) { x[get_global_id(0)] = name(x[get_global_id(0)], n); }
#define FAST(name)                                                                                                     \
  kernel void fast_##name(global float4 *x) { x[get_global_id(0)] = name(x[get_global_id(0)]); }

ONE(acos) ONE(acosh) ONE(acospi) ONE(asin) ONE(asinh) ONE(asinpi) ONE(atan) ONE(atanh) ONE(atanpi) ONE(cbrt) ONE(ceil)
ONE(cos) ONE(cosh) ONE(cospi) ONE(erf) ONE(erfc) ONE(exp) ONE(exp2) ONE(exp10) ONE(expm1) ONE(fabs) ONE(floor) ONE(ilogb)
ONE(lgamma) ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(logb) ONE(rint) ONE(round) ONE(rsqrt) ONE(sin) ONE(sinh)
ONE(sinpi) ONE(sqrt) ONE(tan) ONE(tanh) ONE(tanpi) ONE(tgamma) ONE(trunc)
TWO(atan2) TWO(atan2pi) TWO(copysign) TWO(fdim) TWO(fmax) TWO(fmin) TWO(fmod) TWO(hypot) TWO(maxmag) TWO(minmag)
TWO(nextafter) TWO(pow) TWO(powr) TWO(remainder)
WITH_INT(ldexp) WITH_INT(pown) WITH_INT(rootn)
FAST(native_cos) FAST(native_exp) FAST(native_exp2) FAST(native_exp10) FAST(native_log) FAST(native_log2)
FAST(native_log10) FAST(native_recip) FAST(native_rsqrt) FAST(native_sin) FAST(native_sqrt) FAST(native_tan)
FAST(half_cos) FAST(half_exp) FAST(half_exp2) FAST(half_exp10) FAST(half_log) FAST(half_log2) FAST(half_log10)
FAST(half_recip) FAST(half_rsqrt) FAST(half_sin) FAST(half_sqrt) FAST(half_tan)

// Keywords and predefined names of the assembler.
kernel void add(global int *x) { x[0] += 1; }
kernel void ld(global int *x) { x[0] += 1; }
kernel void WARP_SZ_(global int *x) { x[0] += 1; }
kernel void reg(global int *x) { x[0] += 1; }
kernel void entry(global int *x) { x[0] += 1; }
kernel void b32(global int *x) { x[0] += 1; }

constant float4 table[2] = {(float4)(1, 2, 3, 4), (float4)(5)};
kernel void tables(global float4 *x, constant float4 *other) {
  size_t i = get_global_id(0);
  constant float4 *from = i & 2 ? table : other;
  x[i] = from[i & 1];
}

kernel void atomics(global int *a, global uint *u, local int *l, volatile global long *q, global float *f) {
  atomic_add(a, 1), atomic_sub(a, 2), atomic_xchg(a, 3), atomic_cmpxchg(a, 1, 2), atomic_min(a, 3), atomic_max(a, 4);
  atomic_and(u, 1u), atomic_or(u, 2u), atomic_xor(u, 3u), atomic_min(u, 4u), atomic_max(u, 4u), atomic_xchg(f, 1.0f);
  atomic_add(l, 1), atomic_max(l, 2), atom_add(q, 1L), atom_cmpxchg(q, 1L, 2L), atom_xchg(q, 4L), atom_sub(q, 1L);
}

kernel void ordered(global atomic_int *a, global atomic_uint *u, local atomic_int *l, global int *out) {
  int expected = 3;
  out[0] = atomic_compare_exchange_strong_explicit(a, &expected, 5, memory_order_acq_rel, memory_order_acquire,
                                                   memory_scope_device);
  atomic_fetch_add_explicit(a, 1, memory_order_acquire, memory_scope_work_group);
  atomic_fetch_sub_explicit(a, 1, memory_order_acq_rel, memory_scope_device);
  atomic_fetch_max_explicit(l, 1, memory_order_seq_cst, memory_scope_work_group);
  atomic_fetch_xor_explicit(u, 1, memory_order_release, memory_scope_all_svm_devices);
  atomic_exchange_explicit(u, 1, memory_order_relaxed, memory_scope_all_svm_devices);
  atomic_store_explicit(a, 4, memory_order_release, memory_scope_device);
  out[1] = atomic_load(a) + atomic_load_explicit(l, memory_order_relaxed, memory_scope_work_group);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
  work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
}

kernel void anywhere(global int *g, local int *l, int which) {
  int own[4] = {1, 2, 3, 4};
  int *p = which == 0 ? (int *)g : which == 1 ? (int *)l : (int *)own;
  p[get_local_id(0) & 3] += 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  g[8 + get_local_id(0)] = p[1] + own[get_local_id(0) & 3];
}

kernel void copies(global float *g, local float *l) {
  event_t e = async_work_group_copy(l, g, 64, 0);
  wait_group_events(1, &e);
  e = async_work_group_strided_copy(g + 100, l, 32, 2, 0);
  wait_group_events(1, &e);
}

kernel void everything_asked(global ulong *x, uint d) {
  x[0] = get_global_id(d) + get_local_id(d) + get_group_id(d) + get_global_size(d) + get_local_size(d) +
         get_enqueued_local_size(d) + get_num_groups(d) + get_global_offset(d) + get_work_dim();
  x[1] = get_global_linear_id() + get_local_linear_id();
}
