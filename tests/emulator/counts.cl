// KILN_EMULATOR_COUNTS writes what kernels did (CountReport.h); KILN_EMULATOR_REPLACE runs other code in their place.
// DEFINE: %{run} = env KILN_DEVICES=hip KILN_HIP_LIBRARY=%kiln_lib/libkiln-hip-emulator.so KILN_EMULATED_GPU=gfx942

// RUN: %{run} KILN_EMULATOR_COUNTS=- kiln-run %s triple --global=256 --local=128 in:u32[256]=iota out:u32[256] 2>&1 | FileCheck %s --check-prefix=TABLE
// TABLE-DAG: processor kernel launches waves instructions salu valu trans smem vmem scratch lds branch barrier wait
// TABLE-DAG: gfx942 triple 1 4 {{[0-9]+}} {{[0-9]+}} {{[0-9]+}} 0 {{[0-9]+}} 8 0 0 {{[0-9]+}} 0 {{[0-9]+}} 8 8 {{.*}} 8 of 8, by waves

// RUN: %{run} KILN_EMULATOR_COUNTS=%t.json kiln-run %s triple --global=256 --local=128 in:u32[256]=iota out:u32[256]
// RUN: %python -c "import json; row, = json.load(open(r'%t.json')); print(row['kernel'], row['vmem'], row['lines_read'], row['lines_written'], row['occupancy'])" | FileCheck %s --check-prefix=JSON
// JSON: triple 8 8 8 8

// RUN: rm -rf %t && mkdir %t
// RUN: sed 's/3 [*]/7 */' %s > %t/seven.cl
// RUN: kilnc --target amdgpu:gfx942 %t/seven.cl -o %t/triple.gfx942.co
// RUN: %{run} KILN_EMULATOR_REPLACE=%t kiln-run %s triple --global=4 --local=4 in:u32[4]=iota out:u32[4] | FileCheck %s --check-prefix=REPLACED
// REPLACED: 0 7 14 21

// RUN: echo text > %t/triple.gfx942.co
// RUN: %{run} KILN_EMULATOR_REPLACE=%t not kiln-run %s triple --global=4 --local=4 in:u32[4]=iota out:u32[4] 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN: the emulator cannot take kernel triple from {{.*}}triple.gfx942.co: it is not an ELF file
kernel void triple(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  out[i] = 3 * in[i];
}
