// Loads, stores and copies at addresses that are less aligned than their types require: OpenCL C does not define them,
// programs use them, and they work on the CPU (backends/cpu/codegen/DropClaimedAlignment). KILN_CHECK_ASSUMPTIONS reports
// them (passes/simd/emit/CheckAlignment).

// RUN: kiln-run %s vectors --global=16 --local=16 inout:f32[72]=0 in:f32[72]=iota u32=1 | FileCheck %s --check-prefix=VECTORS
// RUN: env KILN_CPU_MACHINE_WIDTH=1 kiln-run %s vectors --global=16 --local=16 inout:f32[72]=0 in:f32[72]=iota u32=1 | FileCheck %s --check-prefix=VECTORS
// RUN: env KILN_CPU_MACHINE_WIDTH=4 kiln-run %s vectors --global=16 --local=16 inout:f32[72]=0 in:f32[72]=iota u32=1 | FileCheck %s --check-prefix=VECTORS
// RUN: env KILN_CHECK_ASSUMPTIONS=1 kiln-run %s vectors --global=16 --local=16 inout:f32[72]=0 in:f32[72]=iota u32=1 2>&1 | FileCheck %s --check-prefix=VECTORS-REPORT
// RUN: env KILN_CHECK_ASSUMPTIONS=1 kiln-run %s vectors --global=16 --local=16 inout:f32[72]=0 in:f32[72]=iota u32=4 2>&1 | FileCheck %s --check-prefix=ALIGNED
// VECTORS: argument 0: 0 2 4 6 8 10 12 14 16 18 20
// VECTORS-SAME: 126 128 0 0 0 0 0 0 0{{$}}
// The load and the store are on one line each.
// VECTORS-REPORT: kernel vectors, line [[# @LINE + 7]]: the address of an access is 0x{{[0-9a-f]*[48c]}}, must be a multiple of 16 by its type
// VECTORS-REPORT: argument 0: 0 2 4 6 8
// ALIGNED-NOT: error
// ALIGNED: argument 0: 0 0 0 0 8 10 12
// ALIGNED-NOT: error
kernel void vectors(global float *a, global const float *b, uint by) {
  size_t i = get_global_id(0);
  *(global float4 *)(a + 4 * i + by) = *(global const float4 *)(b + 4 * i + by) * 2.0f;
}

// RUN: kiln-run %s scattered --global=8 --local=8 inout:f32[72]=0 in:f32[72]=iota in:u32[8]=5,2,7,0,3,6,1,4 | FileCheck %s --check-prefix=SCATTERED
// RUN: env KILN_CPU_MACHINE_WIDTH=1 kiln-run %s scattered --global=8 --local=8 inout:f32[72]=0 in:f32[72]=iota in:u32[8]=5,2,7,0,3,6,1,4 | FileCheck %s --check-prefix=SCATTERED
// SCATTERED: argument 0: 0 -1 -2 -3 -4 -5 -6 -7 -8 -9
// SCATTERED-SAME: -63 -64 0
kernel void scattered(global float *a, global const float *b, global const uint *order) {
  size_t i = order[get_global_id(0)];
  if (i < 100) {
    float8 v = *(global const float8 *)(b + 8 * i + 1);
    *(global float8 *)(a + 8 * i + 1) = -v;
  }
}

// RUN: kiln-run %s records --global=4 --local=4 inout:u32[128]=0 in:u32[128]=iota | FileCheck %s --check-prefix=RECORDS
// RUN: env KILN_CPU_MACHINE_WIDTH=1 kiln-run %s records --global=4 --local=4 inout:u32[128]=0 in:u32[128]=iota | FileCheck %s --check-prefix=RECORDS
// RUN: env KILN_CHECK_ASSUMPTIONS=1 kiln-run %s records --global=4 --local=4 inout:u32[128]=0 in:u32[128]=iota 2>&1 | FileCheck %s --check-prefix=RECORDS-REPORT
// RECORDS: argument 0: 0 1 2 3 4 5 6 7 8 9
// RECORDS-SAME: 63 64 0 0
// RECORDS-REPORT: kernel records, line {{[0-9]+}}: the address of an access is {{.*}}, must be a multiple of
// RECORDS-REPORT: argument 0: 0 1 2 3
struct __attribute__((aligned(64))) Record {
  uint4 parts[4];
};
kernel void records(global uint *a, global const uint *b) {
  size_t i = get_global_id(0);
  *(global struct Record *)(a + 16 * i + 1) = *(global const struct Record *)(b + 16 * i + 1);
}

// Known objects, at distances that the compiler does not know.
// RUN: kiln-run %s variables --global=4 --local=4 out:f32[4] u32=1 | FileCheck %s --check-prefix=VARIABLES
// RUN: env KILN_CPU_MACHINE_WIDTH=1 kiln-run %s variables --global=4 --local=4 out:f32[4] u32=3 | FileCheck %s --check-prefix=VARIABLES
// VARIABLES: argument 0: 0 0 0 0{{$}}
constant float table[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
kernel void variables(global float *out, uint by) {
  local float shared[32];
  float own[12];
  for (uint i = 0; i < 12; i++)
    own[i] = i;
  for (uint i = get_local_id(0); i < 32; i += 4)
    shared[i] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  float4 a = *(float4 *)(own + by), b = *(local float4 *)(shared + by), c = *(constant float4 *)(table + by);
  float4 d = a * 2.0f - b - c;
  out[get_global_id(0)] = d.x + d.y + d.z + d.w;
}
