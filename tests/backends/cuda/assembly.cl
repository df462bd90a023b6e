// asm statements reach PTX as they are, in each operand's class of registers.
// RUN: kiln-clc -cl-std=CL3.0 %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --emit=asm %t.spv -o - | FileCheck %s

// CHECK-LABEL: .entry statements(
// CHECK: prmt.b32 %{{r[0-9]+}}, %{{r[0-9]+}}, %{{r[0-9]+}}, 12816;
// CHECK: { .reg .u32 t; add.u32 t, %{{r[0-9]+}}, 1; mov.u32 %{{r[0-9]+}}, t; mov.u32 %{{r[0-9]+}}, t; }
// CHECK: atom.global.add.f32 %{{r[0-9]+}}, [%{{rd[0-9]+}}], %{{r[0-9]+}};
// CHECK: mov.u64 %{{rd[0-9]+}}, %globaltimer;
uint bytes(uint a, uint b, uint selector) {
  uint r;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "i"(selector)); // constant after inlining
  return r;
}
kernel void statements(global uint *o, volatile global float *f, global ulong *t) {
  uint i = get_global_id(0), r, s;
  o[i] = bytes(o[i], o[i + 1], 0x3210);
  asm("{ .reg .u32 t; add.u32 t, %2, 1; mov.u32 %0, t; mov.u32 %1, t; }" : "=r"(r), "=r"(s) : "r"(i));
  float old;
  asm volatile("atom.global.add.f32 %0, [%1], %2;" : "=f"(old) : "l"(f), "f"(2.5f) : "memory");
  ulong time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  o[i] += r * s + old;
  t[i] = time;
}

// Work-items may wait for each other in a statement: no pass duplicates it.
// CHECK-LABEL: .entry waits(
// CHECK: bar.sync 0;
// CHECK-NOT: bar.sync
// CHECK: ret;
kernel void waits(global uint *o, uint n) {
  uint i = get_global_id(0), x = o[i];
  if (n > 5)
    x += 3;
  asm volatile("bar.sync 0;" ::: "memory");
  if (n > 5)
    x *= 7;
  o[i] = x;
}

// A statement's result may differ between lanes.
// CHECK-LABEL: .entry some_lanes(
// CHECK: %laneid
// CHECK: activemask.b32
// CHECK: redux.sync.add
// CHECK: ret;
kernel void some_lanes(global int *o) {
  uint lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (lane > 3)
    o[get_global_id(0)] = sub_group_non_uniform_reduce_add((int)lane);
}

// RUN: kiln-clc -DWRONG %s -o %t.wrong.spv
// RUN: not kilnc --target=nvptx:sm_90 --emit=asm %t.wrong.spv -o - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: couldn't allocate output register for constraint 'Q'
kernel void wrong(global uint *o) {
#ifdef WRONG
  uint r;
  asm("mov.u32 %0, 1;" : "=Q"(r));
  o[0] = r;
#endif
}

// RUN: not kilnc --target=cpu --emit=asm %t.spv -o - 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: asm statement: target cpu does not support assembly
