// Atomic additions of half in global, local and generic memory, of every order and scope.
// RUN: kiln-clc -cl-std=CL3.0 %s -o %t.spv
// RUN: spirv-val --target-env opencl2.2 %t.spv
// RUN: spirv-dis %t.spv | FileCheck %s
// FEATURES: X-E28
// LLVM 22's translator adds the memory's bit to the order.

// CHECK: OpCapability AtomicFloat16AddEXT
// CHECK: OpExtension "SPV_EXT_shader_atomic_float16_add"
// CHECK-NOT: kiln.add_half
// CHECK-DAG: %[[HALF:.*]] = OpTypeFloat 16
// CHECK-DAG: %[[ONE:.*]] = OpConstant %[[HALF]] 0x1p+0
// CHECK-DAG: %[[MINUS:.*]] = OpConstant %[[HALF]] -0x1p+0

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global atomic_half *p, local atomic_half *l) {
  // CHECK: OpAtomicFAddEXT %[[HALF]] %{{.*}} %uint_1 %uint_{{(0|512)}} %[[ONE]]
  atomic_fetch_add_explicit(p, (half)1, memory_order_relaxed, memory_scope_device);
  // CHECK: OpAtomicFAddEXT %[[HALF]] %{{.*}} %uint_2 %uint_{{(2|258)}} %[[ONE]]
  atomic_fetch_add_explicit(l, (half)1, memory_order_acquire, memory_scope_work_group);
  // CHECK: OpAtomicFAddEXT %[[HALF]] %{{.*}} %uint_0 %uint_{{(4|516)}} %[[MINUS]]
  atomic_fetch_sub_explicit(p, (half)1, memory_order_release, memory_scope_all_svm_devices);
  // CHECK: OpAtomicFAddEXT %[[HALF]] %{{.*}} %uint_3 %uint_{{(8|520)}} %[[ONE]]
  atomic_fetch_add_explicit(p, (half)1, memory_order_acq_rel, memory_scope_sub_group);
  // CHECK: OpAtomicFAddEXT %[[HALF]] %{{.*}} %uint_1 %uint_{{(16|528)}} %[[ONE]]
  atomic_fetch_add(p, (half)1);
  atomic_half *any = get_global_id(0) ? (atomic_half *)p : (atomic_half *)l;
  // CHECK: OpAtomicFAddEXT %[[HALF]] %{{.*}} %uint_1 %uint_{{(16|784)}} %[[MINUS]]
  atomic_fetch_sub(any, (half)1);
}
