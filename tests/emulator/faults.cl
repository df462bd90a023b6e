// The emulator reports what a kernel does wrong, with the kernel, the instruction and the lane.
// DEFINE: %{run} = env KILN_DEVICES=hip KILN_HIP_LIBRARY=%kiln_lib/libkiln-hip-emulator.so

// RUN: %{run} not kiln-run %s beyond --global=64 --local=64 in:u32[4]=1,2,3,4 out:u32[64] 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: emulated gfx942: kernel beyond, group (0, 0, 0), wave 0, offset {{.*}} in beyond: global_load_dword {{.*}}: lane {{[0-9]+}}: a read of 4 bytes at {{.*}}, which is in no allocation
kernel void beyond(global const uint *in, global uint *out) {
  out[get_global_id(0)] = in[get_global_id(0) << 24];
}

// RUN: %{run} KILN_EMULATED_GPU=gfx1100 not kiln-run %s local_beyond --global=32 --local=32 out:u32[32] 2>&1 | FileCheck %s --check-prefix=LOCAL
// LOCAL: emulated gfx1100: kernel local_beyond, {{.*}}: an access of 4 bytes at offset {{.*}} of local memory, of which the group has 128 bytes
kernel void local_beyond(global uint *out) {
  local uint values[32];
  uint i = get_local_id(0);
  values[i * out[0] + i * 1000] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = values[31 - i];
}

// RUN: %{run} not kiln-run %s undefined_address --global=64 --local=64 in:u32[4]=1,2,3,4 out:u32[64] 2>&1 | FileCheck %s --check-prefix=ADDRESS
// RUN: %{run} KILN_EMULATED_GPU=gfx1100 not kiln-run %s undefined_address --global=64 --local=64 in:u32[4]=1,2,3,4 out:u32[64] 2>&1 | FileCheck %s --check-prefix=ADDRESS
// RUN: %{run} KILN_EMULATOR_CHECKS=off kiln-run %s undefined_address --global=64 --local=64 in:u32[4]=1,2,3,4 out:u32[64]
// ADDRESS: kernel undefined_address, {{.*}}: lane 0: v{{[0-9]+}}, part of the address, is not initialised
kernel void undefined_address(global const uint *in, global uint *out) {
  local uint values[64];
  uint i = get_local_id(0);
  if (in[0] > 100)
    values[i] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = in[values[63 - i] & 3];
}

// RUN: %{run} not kiln-run %s undefined_result --global=64 --local=64 in:u32[4]=1,2,3,4 out:u32[64] 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: kernel undefined_result, {{.*}}: lane 0: all 4 bytes that are stored are not initialised
kernel void undefined_result(global const uint *in, global uint *out) {
  local uint values[64];
  uint i = get_local_id(0);
  if (in[0] > 100)
    values[i] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = values[63 - i];
}

// RUN: %{run} KILN_EMULATOR_RACES=on not kiln-run %s race --global=128 --local=128 out:u32[128] 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: kernel race, {{.*}}: lane {{[0-9]+}}: a {{read|write}} {{.*}} of local memory without a barrier after wave
kernel void race(global uint *out) {
  local uint values[128];
  uint i = get_local_id(0);
  values[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  values[i] = i;
  mem_fence(CLK_LOCAL_MEM_FENCE);
  out[i] = values[127 - i];
}
