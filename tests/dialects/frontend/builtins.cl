// The SPIR-V of built-in functions of all versions of the language; all of it is valid.

// RUN: kiln-clc -cl-std=CL3.0 %s -o %t.spv && spirv-val %t.spv && spirv-dis %t.spv | FileCheck %s

// CHECK-LABEL: %ids = OpFunction
// CHECK: OpLoad %v3ulong %__spirv_BuiltInGlobalInvocationId
// CHECK: OpControlBarrier
kernel void ids(global uint *o) { o[get_global_id(0)] = get_local_size(1); barrier(CLK_LOCAL_MEM_FENCE); }

// CHECK-LABEL: %atomics = OpFunction
// CHECK: OpAtomicIAdd
// CHECK: OpAtomicFAddEXT
// CHECK: OpAtomicCompareExchange
kernel void atomics(global atomic_int *i, global atomic_float *f, volatile global int *old) {
  atomic_fetch_add(i, 1);
  atomic_fetch_add_explicit(f, 1.0f, memory_order_relaxed, memory_scope_device);
  atomic_cmpxchg(old, 1, 2);
}

// CHECK-LABEL: %groups = OpFunction
// CHECK: OpGroupIAdd
// CHECK: OpGroupNonUniformBallot
// CHECK: OpGroupNonUniformShuffle
// CHECK: OpGroupIAdd
kernel void groups(global uint *o, uint x) {
  o[0] = sub_group_reduce_add(x);
  o[1] = sub_group_ballot(x & 1).x;
  o[2] = sub_group_shuffle(x, 1);
  o[3] = work_group_reduce_add(x);
}

// CHECK-LABEL: %bits = OpFunction
// CHECK: OpBitReverse
// CHECK: OpBitFieldInsert
// CHECK: OpBitCount
kernel void bits(global int *o) { o[0] = bit_reverse(o[1]) + bitfield_insert(o[1], o[2], 3, 4) + popcount(o[3]); }

// CHECK-LABEL: %images = OpFunction
// CHECK: OpImageSampleExplicitLod
// CHECK: OpImageWrite
kernel void images(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at, read_imagef(in, s, at));
}

// CHECK-LABEL: %pipes = OpFunction
// CHECK: OpReadPipe
// CHECK: OpWritePipe
kernel void pipes(read_only pipe int in, write_only pipe int out) {
  int x;
  if (!read_pipe(in, &x))
    write_pipe(out, &x);
}

// CHECK-LABEL: %enqueues = OpFunction
// CHECK: OpEnqueueKernel
kernel void enqueues(global int *o, int n) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(n), ^{ o[get_global_id(0)] = n; });
}

// CHECK-LABEL: %prints = OpFunction
// CHECK: printf
kernel void prints(int x) { printf("%d %s\n", x, "text"); }
