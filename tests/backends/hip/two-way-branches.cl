// The loop's block ends with two branches, the first of which goes back to its start. The store needs its data for two
// more wait states on gfx942 (PadTwoWayBranches.h).

// RUN: kiln-clc -cl-std=CL2.0 %s -o %t.spv
// RUN: kilnc --target=amdgpu:gfx942 --emit=asm %t.spv -o - | FileCheck %s
// RUN: kilnc --target=amdgpu:gfx1100 --emit=asm %t.spv -o - | FileCheck %s --check-prefix=NONE --implicit-check-not=s_nop
// CHECK: [[LOOP:.LBB[0-9_]+]]:
// CHECK: global_store_dwordx4
// CHECK-NEXT: s_nop 0
// CHECK-NEXT: s_cbranch_vccnz [[LOOP]]
// CHECK-NEXT: s_branch
// NONE: global_store_b128
typedef struct Node {
  ulong value;
  global struct Node *next;
} Node;
kernel void reverse(global ulong *head, global ulong *out) {
  ulong sum = 0;
  global Node *before = 0;
  for (global Node *at = (global Node *)*head; at;) {
    global Node *next = at->next;
    sum = sum * 31 + at->value++;
    at->next = before;
    before = at;
    at = next;
  }
  *head = (ulong)before;
  *out = sum;
}
