// Emit: the code generator may call the runtime functions of backends/cpu/codegen/support. So it copies a large struct by a
// call, not by a loop over its bytes.
// RUN: kilnc --emit=asm %s -o - | FileCheck %s
// CHECK-LABEL: copy.group:
// CHECK: memcpy
struct Row {
  long values[128];
};
kernel void copy(global const ulong *addresses) {
  *(global struct Row *)addresses[0] = *(global const struct Row *)addresses[1];
}
