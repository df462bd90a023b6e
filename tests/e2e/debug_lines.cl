// With -g, the code has line numbers of the kernel's source, for gdb and perf. They follow `#line`, and inlined code keeps
// its own lines.
// RUN: kiln-clc -g %s -o %t.spv
// RUN: kilnc --options=-g %t.spv -o %t.so && llvm-dwarfdump --debug-line %t.so | FileCheck %s
// RUN: kilnc %t.spv -o %t.plain.so && llvm-dwarfdump --debug-line %t.plain.so | FileCheck %s --check-prefix=PLAIN
// CHECK: name: "shown.cl"
// CHECK-DAG: 0x{{[0-9a-f]+}} 101 {{.*}} is_stmt
// CHECK-DAG: 0x{{[0-9a-f]+}} 104 {{.*}} is_stmt
// PLAIN-NOT: shown.cl
#line 100 "shown.cl"
float half_of(float x) {
  return x * 0.5f;
}
kernel void k(global float *p) {
  p[get_global_id(0)] = half_of(p[get_global_id(0)]) + 1.0f;
}
