// backends/cpu/codegen/LowerPermutes: wg.permute is one instruction with AVX-512, and two and a blend with AVX2. Processors
// before have none, and scalar loads.
// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=cpu:x86-64-v4 --emit=asm %t.spv -o - | FileCheck %s --check-prefix=AVX512
// RUN: kilnc --target=cpu:x86-64-v3 --emit=asm %t.spv -o - | FileCheck %s --check-prefix=AVX2
// RUN: kilnc --target=cpu:x86-64-v2 --emit=asm %t.spv -o - | FileCheck %s --check-prefix=NONE
// AVX512: {{vperm(i2|t2)d}}
// AVX2: vperm{{d|ps}} {{.*}}%ymm
// AVX2: vperm{{d|ps}} {{.*}}%ymm
// AVX2: vblendvps
// NONE-NOT: perm
// A number of lanes that the processor does not permute.
// RUN: not kilnc --target=cpu:x86-64-v4 "--pipeline=builtin.module(ocl-set-target{target=cpu,machine_width=32,register_bits=1024,vector_registers=32,features=[permutes]},kiln-common,kiln-group,kiln-cpu)" %t.spv -o %t.so 2>&1 | FileCheck %s --check-prefix=LANES
// LANES: error: a permute has 32 lanes, must have 8 or 16 on this processor
kernel void clamped(global float *out, global const float *in, int last) {
  const int i = get_global_id(0);
  out[i] = in[clamp(i - 1, 0, last)] + in[clamp(i + 1, 0, last)];
}
