// LANG-1.11b: the program's unroll count is kept by passes that rebuild loops: vectorization, and lifting to scf in
// kernels with a barrier. Kiln does not unroll scalar loops without a hint.
// LLVM 21 drops attributes of loops when it lowers scf.while.
// REQUIRES: llvm-22
// RUN: kiln-clc -DTIMES=3 %s -o %t.spv
// RUN: kilnc --emit=llvm --machine-width=4 %t.spv -o - | FileCheck %s --check-prefix=THREE
// RUN: kilnc --emit=asm --target=nvptx:sm_90 %t.spv -o - | FileCheck %s --check-prefix=GPU
// RUN: kiln-clc -DTIMES=1 %s -o %t.once.spv
// RUN: kilnc --emit=llvm --machine-width=4 %t.once.spv -o - | FileCheck %s --check-prefix=ONCE

// THREE-LABEL: define void @columns
// THREE-COUNT-3: fadd <8 x float>
// THREE-NOT: fadd
// THREE: br i1 {{.*}}!llvm.loop
// ONCE-LABEL: define void @columns
// ONCE: fadd <8 x float>
// ONCE-NOT: fadd
// ONCE: br i1 {{.*}}!llvm.loop
// GPU-LABEL: .entry columns
// GPU-COUNT-3: add.rn.f32
// GPU-NOT: add.rn.f32
// GPU: bra
kernel void columns(global const float *values, global float *y, int n) {
  float sum = 0;
  __attribute__((opencl_unroll_hint(TIMES)))
  for (int k = 0; k < n; ++k)
    sum += values[k * get_global_size(0) + get_global_id(0)];
  y[get_global_id(0)] = sum;
}

// THREE-LABEL: define void @behind_barrier
// THREE-COUNT-3: fadd float
// THREE-NOT: fadd
// THREE: br i1 {{.*}}!llvm.loop
// ONCE-LABEL: define void @behind_barrier
// ONCE: fadd float
// ONCE-NOT: fadd
// ONCE: br i1 {{.*}}!llvm.loop
kernel void behind_barrier(global const float *values, global float *y, local float *shared, int n) {
  shared[get_local_id(0)] = values[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  __attribute__((opencl_unroll_hint(TIMES)))
  for (int k = 0; k < n; ++k)
    sum += shared[k];
  y[get_global_id(0)] = sum * get_local_id(0);
}
