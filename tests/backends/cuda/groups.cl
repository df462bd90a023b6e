// RUN: kiln-clc -cl-std=CL3.0 %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --emit=asm %t.spv -o - | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: kilnc --target=nvptx:sm_75 --emit=asm %t.spv -o - | FileCheck %s --check-prefixes=CHECK,SM75

// CHECK-LABEL: .entry sum(
// SM90: redux.sync.add.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, {{-1|%r}}
// SM75-COUNT-6: shfl.sync.idx.b32
// CHECK: ret;
kernel void sum(global int *p) { p[get_global_id(0)] = sub_group_reduce_add(p[get_global_id(0)]); }

// A dynamic vote of the lanes in a branch.
// CHECK-LABEL: .entry part(
// CHECK: bra
// CHECK: activemask.b32 %[[MASK:r[0-9]+]]
// CHECK: vote.sync.ballot.b32 %r{{[0-9]+}}, %p{{[0-9]+}}, %[[MASK]]
// CHECK: ret;
kernel void part(global int *p, global uint4 *out) {
  size_t i = get_global_id(0);
  if (p[i] > 3)
    out[i] = sub_group_ballot(p[i + 1] > 5);
}

// CHECK-LABEL: .entry group(
// CHECK: bar.red.or.pred
// CHECK-NOT: bar.sync
// CHECK: ret;
kernel void group(global int *p) { p[get_global_id(0)] = work_group_any(p[get_global_id(0)]); }

// CHECK-LABEL: .entry clocks(
// CHECK: mov.u64 %rd{{[0-9]+}}, %globaltimer;
// CHECK: mov.u64 %rd{{[0-9]+}}, %clock64;
// CHECK: ret;
kernel void clocks(global ulong *p) { p[get_global_id(0)] = clock_read_device() + clock_read_sub_group(); }
