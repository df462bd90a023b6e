// With -g, PTX has source lines, which follow `#line`. It is no target of debugging: ptxas optimises it as usual.
// RUN: kiln-clc -g %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --options=-g %t.spv -o - | FileCheck %s
// RUN: kilnc --target=nvptx:sm_90 %t.spv -o - | FileCheck %s --check-prefix=PLAIN
// CHECK: .target sm_90{{$}}
// CHECK: .loc{{.*}} 104
// CHECK: .loc{{.*}} 101
// CHECK: .file {{.*}}shown.cl"
// PLAIN-NOT: .loc
#line 100 "shown.cl"
float half_of(float x) {
  return x * 0.3f;
}
kernel void k(global float *p) {
  p[get_global_id(0)] = half_of(p[get_global_id(0)]) + 1.0f;
}
