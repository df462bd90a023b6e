// With -g, the code has line numbers of the kernel's source, for gdb and perf. They follow `#line`, and inlined code keeps
// its own lines and functions.
// RUN: kiln-clc -g %s -o %t.spv
// RUN: kilnc --options=-g %t.spv -o %t.so && llvm-dwarfdump --debug-line %t.so | FileCheck %s
// RUN: kilnc %t.spv -o %t.plain.so && llvm-dwarfdump --debug-line %t.plain.so | FileCheck %s --check-prefix=PLAIN
// CHECK: name: "shown.cl"
// CHECK-DAG: 0x{{[0-9a-f]+}} 101 {{.*}} is_stmt
// CHECK-DAG: 0x{{[0-9a-f]+}} 104 {{.*}} is_stmt
// PLAIN-NOT: shown.cl
// RUN: llvm-dwarfdump --debug-info %t.so | FileCheck %s --check-prefix=CALLS
// CALLS: DW_AT_language (DW_LANG_OpenCL)
// CALLS: DW_TAG_subprogram
// CALLS: DW_AT_name ("nested")
// CALLS: DW_TAG_inlined_subroutine
// CALLS-NEXT: DW_AT_abstract_origin {{.*}} "twice"
// CALLS: DW_AT_call_line (111)
// CALLS: DW_TAG_inlined_subroutine
// CALLS-NEXT: DW_AT_abstract_origin {{.*}} "half_of"
// CALLS: DW_AT_call_line (106)
#line 100 "shown.cl"
float half_of(float x) {
  return x * 0.5f;
}
kernel void k(global float *p) {
  p[get_global_id(0)] = half_of(p[get_global_id(0)]) + 1.0f;
}
float twice(float x) { return half_of(x) * 4; }
kernel void nested(global float *p) {
  local float all[64];
  all[get_local_id(0)] = p[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  p[get_global_id(0)] = twice(all[get_local_id(0) ^ 1]);
}
