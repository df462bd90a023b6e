// The translator makes `= {0}` of a struct a copy of a constant array of bytes, with the struct's alignment for both sides
// (passes/ocl/AlignVariables).
// RUN: kiln-clc -cl-opt-disable %s -o %t.spv
// RUN: kilnc --emit=ocl %t.spv -o - | FileCheck %s --check-prefix=ALIGNED
// RUN: kiln-run %t.spv zeroed --global=2 --local=2 out:f32[4] u32=5 | FileCheck %s
// RUN: env KILN_CPU_MACHINE_WIDTH=1 kiln-run %t.spv zeroed --global=2 --local=2 out:f32[4] u32=5 | FileCheck %s
// RUN: env KILN_DEVICES=hip KILN_HIP_LIBRARY=%kiln_build/lib/libkiln-hip-emulator.so kiln-run %t.spv zeroed --global=2 --local=2 out:f32[4] u32=5 | FileCheck %s
// ALIGNED: llvm.mlir.global {{.*}}alignment = 128
// CHECK: argument 0: 5 5 3 0{{$}}
constant char before[3] = {1, 2, 3};
struct __attribute__((aligned(128))) Wide {
  float16 a, b;
  int c;
};
kernel void zeroed(global float *out, uint n) {
  struct Wide s = {0};
  s.a.x = n;
  out[get_global_id(0)] = s.a.x + s.b.y + s.c;
  if (get_global_id(0) == 0)
    out[2] = before[n % 3];
}
