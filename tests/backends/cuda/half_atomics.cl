// Additions of half are instructions; the others are loops of compare-and-exchange.
// RUN: kiln-clc -cl-std=CL3.0 %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_70 %t.spv -o - | FileCheck %s
// FEATURES: X-E28

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// CHECK-LABEL: .entry additions(
// CHECK: atom.global.add.noftz.f16
// CHECK: atom.shared.add.noftz.f16
// CHECK: atom.add.noftz.f16
// CHECK: fence.sc.gpu;
// CHECK: atom.acq_rel.gpu.global.add.noftz.f16
// CHECK: atom.acq_rel.cta.shared.add.noftz.f16
// CHECK: atom.relaxed.sys.global.add.noftz.f16
kernel void additions(global atomic_half *p, local atomic_half *l, half x) {
  atomic_half *any = get_global_id(0) ? (atomic_half *)p : (atomic_half *)l;
  atomic_fetch_add_explicit(p, x, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit(l, x, memory_order_relaxed, memory_scope_work_group);
  atomic_fetch_add_explicit(any, x, memory_order_relaxed, memory_scope_device);
  atomic_fetch_sub_explicit(p, x, memory_order_seq_cst, memory_scope_device);
  atomic_fetch_add_explicit(l, x, memory_order_acq_rel, memory_scope_work_group);
  atomic_fetch_add_explicit(p, x, memory_order_relaxed, memory_scope_all_svm_devices);
}

// CHECK-LABEL: .entry others(
// CHECK: min.f32
// CHECK: atom.{{.*}}global.cas
// CHECK: max.f32
// CHECK: atom.{{.*}}shared.cas
// CHECK: atom.{{.*}}global.cas
// CHECK: st.release.gpu.global.b16
// CHECK: ld.acquire.gpu.global.b16
kernel void others(global atomic_half *p, local atomic_half *l, half x, global half *out) {
  atomic_fetch_min_explicit(p, x, memory_order_acq_rel, memory_scope_device);
  atomic_fetch_max_explicit(l, x, memory_order_relaxed, memory_scope_work_group);
  out[0] = atomic_exchange_explicit(p, x, memory_order_acq_rel, memory_scope_device);
  atomic_store_explicit(p, x, memory_order_release, memory_scope_device);
  out[1] = atomic_load_explicit(p, memory_order_acquire, memory_scope_device);
}
