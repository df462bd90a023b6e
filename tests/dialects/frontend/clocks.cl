// The front end replaces calls of clock functions by OpReadClockKHR and removes the function that it declared for them.
// FEATURES: X-E33

// RUN: kiln-clc -cl-std=CL3.0 %s -o - | spirv-dis | FileCheck %s
// RUN: kiln-clc -cl-std=CL3.0 %s -o %t.spv && spirv-val --target-env spv1.3 %t.spv
// CHECK: OpCapability ShaderClockKHR
// CHECK: OpExtension "SPV_KHR_shader_clock"
// CHECK-NOT: __spirv_ReadClockKHR
// CHECK: OpReadClockKHR %ulong %uint_1
// LLVM 19's translator writes one instruction with a result of two 32-bit components.
// CHECK: OpReadClockKHR %{{ulong|v2uint}} %uint_3
kernel void k(global ulong *o, global uint2 *h) {
  o[0] = clock_read_device();
  h[0] = clock_read_hilo_sub_group();
}

// RUN: not kiln-clc --extensions= -cl-std=CL3.0 %s -o %t.spv 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: clock_read_device
