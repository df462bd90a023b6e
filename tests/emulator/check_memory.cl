// KILN_CHECK=memory on GPUs reports what it does on the CPU (tests/e2e/check_memory.cl), and leaves wrong accesses out.
// Lanes of a wave are counted in their order, so the first finding of a launch of one wave is that of its first lane.

// DEFINE: %{on} = env KILN_CHECK=memory KILN_DEVICES=hip KILN_HIP_LIBRARY=%kiln_lib/libkiln-hip-emulator.so KILN_EMULATED_GPU
// DEFINE: %{wide} = %{on}=gfx942 kiln-run
// DEFINE: %{narrow} = %{on}=gfx1100 kiln-run

// RUN: %{wide} %s read_after --global=64 --local=64 out:u32[64] in:u32[64]=iota 2>&1 | FileCheck %s --check-prefix=READ-AFTER
// RUN: %{narrow} %s read_after --global=64 --local=64 out:u32[64] in:u32[64]=iota 2>&1 | FileCheck %s --check-prefix=READ-AFTER
// READ-AFTER: check: kernel read_after reads 4 bytes outside of the buffer of argument 1 (from), which has 256 bytes: right after its end
// READ-AFTER-NEXT: line [[# @LINE + 7]]: to[i] = from[i + 1];
// READ-AFTER-NEXT: work-item (63), local id (63) in work-group (0), address 0x
// READ-AFTER: check: 1 findings, which occurred 1 times; 0 suppressed
// READ-AFTER: argument 0: 1 2 3 4
// READ-AFTER-SAME: 62 63 0{{$}}
kernel void read_after(global uint *to, global const uint *from) {
  size_t i = get_global_id(0);
  to[i] = from[i + 1];
}

// RUN: %{wide} %s write_after --global=64 --local=32 inout:u32[40]=7 2>&1 | FileCheck %s --check-prefix=WRITE-AFTER
// RUN: %{narrow} %s write_after --global=64 --local=32 inout:u32[40]=7 2>&1 | FileCheck %s --check-prefix=WRITE-AFTER
// WRITE-AFTER: check: kernel write_after writes 4 bytes outside of the buffer of argument 0 (to), which has 160 bytes: right after its end
// WRITE-AFTER-NEXT: line [[# @LINE + 7]]: to[i] = (uint)i;
// WRITE-AFTER-NEXT: work-item (40), local id (8) in work-group (1)
// WRITE-AFTER: check: 1 findings, which occurred 24 times; 0 suppressed
// WRITE-AFTER: argument 0: 0 1 2 3
// WRITE-AFTER-SAME: 38 39{{$}}
kernel void write_after(global uint *to) {
  size_t i = get_global_id(0);
  to[i] = (uint)i;
}

// RUN: %{wide} %s atomic_after --global=64 --local=64 inout:u32[8]=0 2>&1 | FileCheck %s --check-prefix=ATOMIC-AFTER
// RUN: %{narrow} %s atomic_after --global=64 --local=64 inout:u32[8]=0 2>&1 | FileCheck %s --check-prefix=ATOMIC-AFTER
// ATOMIC-AFTER: check: kernel atomic_after has an atomic operation on 4 bytes outside of the buffer of argument 0 (to), which has 32 bytes: right after its end
// ATOMIC-AFTER-NEXT: line [[# @LINE + 4]]: atomic_inc(&to[get_global_id(0) / 4]);
// ATOMIC-AFTER-NEXT: work-item (32), local id (32) in work-group (0)
// ATOMIC-AFTER: argument 0: 4 4 4 4 4 4 4 4{{$}}
kernel void atomic_after(global uint *to) {
  atomic_inc(&to[get_global_id(0) / 4]);
}

// RUN: %{wide} %s local_array --global=16 --local=16 out:u32[16] 2>&1 | FileCheck %s --check-prefix=LOCAL-ARRAY
// RUN: %{narrow} %s local_array --global=16 --local=16 out:u32[16] 2>&1 | FileCheck %s --check-prefix=LOCAL-ARRAY
// LOCAL-ARRAY: check: kernel local_array reads 4 bytes outside of a local variable ({{.*}}tile), which has 64 bytes: right after its end
// LOCAL-ARRAY-NEXT: line [[# @LINE + 9]]: to[i] = tile[l + 1];
// LOCAL-ARRAY-NEXT: work-item (15), local id (15) in work-group (0){{$}}
// LOCAL-ARRAY: argument 0: 1 2 3
// LOCAL-ARRAY-SAME: 14 15 0{{$}}
kernel void local_array(global uint *to) {
  local uint tile[16];
  size_t i = get_global_id(0), l = get_local_id(0);
  tile[l] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  to[i] = tile[l + 1];
}

// RUN: %{wide} %s local_argument --global=16 --local=16 out:u32[16] local=40 local=64 2>&1 | FileCheck %s --check-prefix=LOCAL-ARGUMENT
// RUN: %{narrow} %s local_argument --global=16 --local=16 out:u32[16] local=40 local=64 2>&1 | FileCheck %s --check-prefix=LOCAL-ARGUMENT
// LOCAL-ARGUMENT: check: kernel local_argument writes 4 bytes outside of the local memory of argument 1 (first), which has 40 bytes: right after its end
// LOCAL-ARGUMENT-NEXT: line [[# @LINE + 6]]: first[l] = 5;
// LOCAL-ARGUMENT-NEXT: work-item (10), local id (10) in work-group (0)
// LOCAL-ARGUMENT: check: kernel local_argument reads 4 bytes outside of the local memory of argument 1 (first)
// LOCAL-ARGUMENT: argument 0: 11 11 11 11 11 11 11 11 11 11 6 6 6 6 6 6{{$}}
kernel void local_argument(global uint *to, local uint *first, local uint *second) {
  size_t l = get_local_id(0);
  first[l] = 5;
  second[l] = 6;
  barrier(CLK_LOCAL_MEM_FENCE);
  to[l] = first[l] + second[15 - l];
}

// Before the start of local memory, and of all of it.
// RUN: %{wide} %s local_before --global=16 --local=16 out:u32[16] local=64 2>&1 | FileCheck %s --check-prefix=LOCAL-BEFORE
// RUN: %{narrow} %s local_before --global=16 --local=16 out:u32[16] local=64 2>&1 | FileCheck %s --check-prefix=LOCAL-BEFORE
// LOCAL-BEFORE: check: kernel local_before writes 4 bytes outside of the local memory of argument 1 (tile), which has 64 bytes: 4 bytes before its begin
// LOCAL-BEFORE: check: 1 findings, which occurred 1 times
// LOCAL-BEFORE: argument 0: 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 0{{$}}
kernel void local_before(global uint *to, local uint *tile) {
  int l = get_local_id(0);
  tile[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[l - 1] = 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  to[l] = tile[l];
}

// RUN: %{wide} %s private_array --global=16 --local=16 out:u32[16] in:u32[16]=3,5,9,1 2>&1 | FileCheck %s --check-prefix=PRIVATE
// RUN: %{narrow} %s private_array --global=16 --local=16 out:u32[16] in:u32[16]=3,5,9,1 2>&1 | FileCheck %s --check-prefix=PRIVATE
// PRIVATE: check: kernel private_array reads 4 bytes outside of a private variable, which has 32 bytes: 4 bytes after its end
// PRIVATE-NEXT: line [[# @LINE + 8]]: to[i] = own[index[i]];
// PRIVATE-NEXT: work-item (2), local id (2) in work-group (0){{$}}
// PRIVATE: argument 0: 9 25 0 1 9 25 0 1
kernel void private_array(global uint *to, global const uint *index) {
  size_t i = get_global_id(0);
  uint own[8];
  for (uint k = 0; k < 8; ++k)
    own[k] = k * k;
  to[i] = own[index[i]];
}

// RUN: %{wide} %s table --global=16 --local=16 out:u32[16] 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: %{narrow} %s table --global=16 --local=16 out:u32[16] 2>&1 | FileCheck %s --check-prefix=TABLE
// TABLE: check: kernel table reads 4 bytes outside of a constant variable ({{.*}}primes), which has 20 bytes: right after its end
// TABLE-NEXT: line [[# @LINE + 5]]: to[get_global_id(0)] = primes[get_global_id(0)];
// TABLE-NEXT: work-item (5), local id (5) in work-group (0)
// TABLE: argument 0: 2 3 5 7 11 0 0 0
constant uint primes[5] = {2, 3, 5, 7, 11};
kernel void table(global uint *to) {
  to[get_global_id(0)] = primes[get_global_id(0)];
}

// RUN: %{wide} %s constant_buffer --global=16 --local=16 out:u8[16] in:u8[3]=4 2>&1 | FileCheck %s --check-prefix=CONSTANT
// CONSTANT: check: kernel constant_buffer reads 1 bytes outside of the buffer of argument 1 (from), which has 3 bytes: right after its end
// CONSTANT: argument 0: 4 4 4 0 0
kernel void constant_buffer(global uchar *to, constant uchar *from) {
  to[get_global_id(0)] = from[get_global_id(0)];
}

// RUN: %{wide} %s copies --global=16 --local=16 out:u32[16] in:u32[12]=1 2>&1 | FileCheck %s --check-prefix=COPIES
// COPIES: check: kernel copies reads 4 bytes outside of the buffer of argument 1 (from), which has 48 bytes: right after its end
// COPIES: argument 0: 1 1 1 1 1 1 1 1 1 1 1 1 0 0 0 0{{$}}
kernel void copies(global uint *to, global const uint *from) {
  local uint tile[16];
  event_t done = async_work_group_copy(tile, from, 16, 0);
  wait_group_events(1, &done);
  to[get_local_id(0)] = tile[get_local_id(0)];
}

// RUN: %{wide} %s records --global=4 --local=4 out:u32[32] in:u32[24]=2 2>&1 | FileCheck %s --check-prefix=RECORDS
// RUN: %{narrow} %s records --global=4 --local=4 out:u32[32] in:u32[24]=2 2>&1 | FileCheck %s --check-prefix=RECORDS
// RECORDS: check: kernel records reads {{[0-9]+}} bytes outside of the buffer of argument 1 (from), which has 96 bytes: right after its end
// RECORDS-NEXT: line [[# @LINE + 5]]: to[get_global_id(0)] = from[get_global_id(0)];
// RECORDS-NEXT: work-item (3), local id (3) in work-group (0)
// RECORDS: argument 0: 2 2 2
typedef struct { uint parts[8]; } Record;
kernel void records(global Record *to, global const Record *from) {
  to[get_global_id(0)] = from[get_global_id(0)];
}

// A pointer that a loop advances.
// RUN: %{wide} %s advances --global=16 --local=16 out:u32[16] in:u32[13]=1 2>&1 | FileCheck %s --check-prefix=ADVANCES
// RUN: %{narrow} %s advances --global=16 --local=16 out:u32[16] in:u32[13]=1 2>&1 | FileCheck %s --check-prefix=ADVANCES
// ADVANCES: check: kernel advances reads 4 bytes outside of the buffer of argument 1 (from), which has 52 bytes: right after its end
// ADVANCES-NEXT: line [[# @LINE + 6]]: sum += *from++;
// ADVANCES: check: 1 findings, which occurred 3 times
// ADVANCES: argument 0: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 13 13{{$}}
kernel void advances(global uint *to, global const uint *from) {
  uint sum = 0;
  for (uint n = get_global_id(0); n; --n)
    sum += *from++;
  to[get_global_id(0)] = sum;
}

// The pointer may be one of two arguments: only null is wrong.
// RUN: %{wide} %s choice --global=16 --local=16 out:u32[16] in:u32[8]=1 in:u32[8]=2 2>&1 | FileCheck %s --check-prefix=CHOICE
// CHOICE-NOT: check:
// CHOICE: argument 0: 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2{{$}}
kernel void choice(global uint *to, global const uint *first, global const uint *second) {
  size_t i = get_global_id(0);
  global const uint *from = i < 8 ? first : second - 8;
  to[i] = from[i];
}

// RUN: %{wide} %s null --global=8 --local=8 out:u32[8] in:u64[8]=0 2>&1 | FileCheck %s --check-prefix=NULL
// RUN: %{narrow} %s null --global=8 --local=8 out:u32[8] in:u64[8]=0 2>&1 | FileCheck %s --check-prefix=NULL
// NULL: check: kernel null reads 4 bytes through a null pointer
// NULL-NEXT: line [[# @LINE + 6]]: to[get_global_id(0)] = 1 + *from;
// NULL-NEXT: work-item (0), local id (0)
// NULL: check: 1 findings, which occurred 8 times
// NULL: argument 0: 1 1 1 1 1 1 1 1{{$}}
kernel void null(global uint *to, global const ulong *pointers) {
  global const uint *from = (global const uint *)pointers[get_global_id(0)];
  to[get_global_id(0)] = 1 + *from;
}

// RUN: %{wide} %s plane --global=8,4 --local=8,2 out:f64[32] in:f64[24]=1 2>&1 | FileCheck %s --check-prefix=PLANE
// PLANE: check: kernel plane reads 8 bytes outside of the buffer of argument 1 (from), which has 192 bytes: right after its end
// PLANE-NEXT: line [[# @LINE + 5]]: to[8 * y + x] = from[8 * y + x];
// PLANE-NEXT: work-item (0, 3), local id (0, 1) in work-group (0, 1)
// PLANE-NOT: check: kernel
kernel void plane(global double *to, global const double *from) {
  int x = get_global_id(0), y = get_global_id(1);
  to[8 * y + x] = from[8 * y + x];
}

// Alignment: the access is carried out, in bytes. Atomic operations are left out.
// RUN: %{wide} %s unaligned_vectors --global=8 --local=8 out:f32[8] in:f32[33]=iota 2>&1 | FileCheck %s --check-prefix=UNALIGNED
// RUN: %{narrow} %s unaligned_vectors --global=8 --local=8 out:f32[8] in:f32[33]=iota 2>&1 | FileCheck %s --check-prefix=UNALIGNED
// UNALIGNED: check: kernel unaligned_vectors reads at an address that is not a multiple of 16 bytes, the alignment of the type: the buffer of argument 1 (from): byte 4
// UNALIGNED-NEXT: line [[# @LINE + 7]]: float4 v = *(global const float4 *)(from + 4 * i + 1);
// UNALIGNED-NEXT: work-item (0), local id (0) in work-group (0), address 0x
// UNALIGNED-NEXT: created at kiln-run+0x
// UNALIGNED: check: 1 findings, which occurred 8 times
// UNALIGNED: argument 0: 10 26 42 58 74 90 106 122{{$}}
kernel void unaligned_vectors(global float *to, global const float *from) {
  size_t i = get_global_id(0);
  float4 v = *(global const float4 *)(from + 4 * i + 1);
  to[i] = v.x + v.y + v.z + v.w;
}

// Work-items 1, 3, 5 and 7 write at odd addresses.
// RUN: %{wide} %s unaligned_shorts --global=8 --local=8 inout:u8[32]=0 2>&1 | FileCheck %s --check-prefix=SHORTS
// RUN: %{narrow} %s unaligned_shorts --global=8 --local=8 inout:u8[32]=0 2>&1 | FileCheck %s --check-prefix=SHORTS
// SHORTS: check: kernel unaligned_shorts writes at an address that is not a multiple of 2 bytes, the alignment of the type: the buffer of argument 0 (to): byte 3
// SHORTS-NEXT: line [[# @LINE + 6]]: *(global ushort *)(to + 3 * i) = 513;
// SHORTS-NEXT: work-item (1), local id (1) in work-group (0)
// SHORTS: check: 1 findings, which occurred 4 times
// SHORTS: argument 0: 1 2 0 1 2 0 1 2 0
kernel void unaligned_shorts(global uchar *to) {
  int i = get_global_id(0);
  *(global ushort *)(to + 3 * i) = 513;
}

// RUN: %{wide} %s unaligned_local --global=8 --local=8 out:u32[8] local=64 2>&1 | FileCheck %s --check-prefix=UNALIGNED-LOCAL
// RUN: %{narrow} %s unaligned_local --global=8 --local=8 out:u32[8] local=64 2>&1 | FileCheck %s --check-prefix=UNALIGNED-LOCAL
// UNALIGNED-LOCAL: check: kernel unaligned_local reads at an address that is not a multiple of 4 bytes, the alignment of the type: the local memory of argument 1 (bytes)
// UNALIGNED-LOCAL-NEXT: line [[# @LINE + 9]]: to[i] = *(local uint *)(bytes + i);
// UNALIGNED-LOCAL-NEXT: work-item (1), local id (1) in work-group (0){{$}}
// UNALIGNED-LOCAL: check: 1 findings, which occurred 6 times
// UNALIGNED-LOCAL: argument 0: 50462976 67305985 84148994
kernel void unaligned_local(global uint *to, local uchar *bytes) {
  int i = get_global_id(0);
  for (int k = 0; k < 8; ++k)
    bytes[8 * k + i] = 8 * k + i;
  barrier(CLK_LOCAL_MEM_FENCE);
  to[i] = *(local uint *)(bytes + i);
}

// RUN: %{wide} %s unaligned_private --global=8 --local=8 out:u32[8] in:u32[8]=iota 2>&1 | FileCheck %s --check-prefix=UNALIGNED-PRIVATE
// RUN: %{narrow} %s unaligned_private --global=8 --local=8 out:u32[8] in:u32[8]=iota 2>&1 | FileCheck %s --check-prefix=UNALIGNED-PRIVATE
// UNALIGNED-PRIVATE: check: kernel unaligned_private reads at an address that is not a multiple of 4 bytes, the alignment of the type: a private variable
// UNALIGNED-PRIVATE-NEXT: line [[# @LINE + 9]]: to[i] = *(uint *)(bytes + from[i]);
// UNALIGNED-PRIVATE-NEXT: work-item (1), local id (1) in work-group (0){{$}}
// UNALIGNED-PRIVATE: check: 1 findings, which occurred 6 times
// UNALIGNED-PRIVATE: argument 0: 50462976 84148994 117835012
kernel void unaligned_private(global uint *to, global const uint *from) {
  uchar bytes[16] __attribute__((aligned(16)));
  int i = get_global_id(0);
  for (int k = 0; k < 16; ++k)
    bytes[k] = k + i;
  to[i] = *(uint *)(bytes + from[i]);
}

// RUN: %{wide} %s unaligned_atomics --global=8 --local=8 inout:u8[64]=0 2>&1 | FileCheck %s --check-prefix=ATOMICS
// RUN: %{narrow} %s unaligned_atomics --global=8 --local=8 inout:u8[64]=0 2>&1 | FileCheck %s --check-prefix=ATOMICS
// ATOMICS: check: kernel unaligned_atomics has an atomic operation at an address that is not a multiple of 4 bytes
// ATOMICS: check: 1 findings, which occurred 4 times
// ATOMICS: argument 0: 1 0 0 0 0 0 0 0 0 0 0 0 1 0
kernel void unaligned_atomics(global uchar *to) {
  atomic_inc((global uint *)(to + 6 * get_global_id(0)));
}

// A copy of a struct, outside and misaligned.
// RUN: %{wide} %s unaligned_records --global=4 --local=4 out:u32[8] in:u8[30]=iota 2>&1 | FileCheck %s --check-prefix=UNALIGNED-RECORDS
// RUN: %{narrow} %s unaligned_records --global=4 --local=4 out:u32[8] in:u8[30]=iota 2>&1 | FileCheck %s --check-prefix=UNALIGNED-RECORDS
// UNALIGNED-RECORDS-DAG: check: kernel unaligned_records reads at an address that is not a multiple of 4 bytes, the alignment of the type: the buffer of argument 1 (from): byte 1
// UNALIGNED-RECORDS-DAG: check: kernel unaligned_records reads {{[48]}} bytes outside of the buffer of argument 1 (from), which has 30 bytes:
// UNALIGNED-RECORDS: argument 0: 67305985 134678021 202050057 269422093 336794129 404166165 {{[0-9]+}} 0{{$}}
typedef struct { uint first, second; } Pair;
kernel void unaligned_records(global Pair *to, global const uchar *from) {
  size_t i = get_global_id(0);
  to[i] = *(global const Pair *)(from + 8 * i + 1);
}

// RUN: %{wide} %s aligned --global=8 --local=8 out:f32[8] in:f32[32]=iota i32=4 2>&1 | FileCheck %s --check-prefix=ALIGNED
// RUN: %{narrow} %s aligned --global=8 --local=8 out:f32[8] in:f32[32]=iota i32=4 2>&1 | FileCheck %s --check-prefix=ALIGNED
// ALIGNED-NOT: check:
// ALIGNED: argument 0: 0 8 16 24
kernel void aligned(global float *to, global const float *from, int step) {
  int i = get_global_id(0);
  float4 a = *(global const float4 *)(from + 4 * i), b = *(global const float4 *)(from + i * step);
  to[i] = a.x + b.x;
}

// Suppressions, a report and an exit status.
// RUN: echo "read_aft*:*  # known" > %t.suppressed
// RUN: rm -f %t.json
// RUN: %{on}=gfx942 KILN_CHECK_SUPPRESS=%t.suppressed KILN_CHECK_EXIT=9 kiln-run %s read_after --global=64 --local=32 out:u32[64] in:u32[50]=iota 2>&1 | FileCheck %s --check-prefix=SUPPRESSED
// SUPPRESSED-NOT: check: kernel
// SUPPRESSED: check: 0 findings, which occurred 0 times; 1 suppressed
// RUN: not %{on}=gfx942 KILN_CHECK_SUPPRESS=%t.suppressed KILN_CHECK_EXIT=9 KILN_CHECK_REPORT=%t.json kiln-run %s write_after --global=64 --local=32 inout:u32[40]=7
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// JSON: {"program":"{{.*}}kiln-run","pid":{{[0-9]+}},"suppressed":0,"found":[{"check":"memory","kernel":"write_after","file":
// JSON-SAME: "source":"to[i] = (uint)i;","access":"write","argument":0,"what":"writes 4 bytes
// JSON-SAME: "global_id":[40],{{.*}}"count":24,"created_at":"kiln-run+0x{{[0-9a-f]+}}{{.*}}"}]}

// The CPU and both GPUs in one context; each line is reported once.
// RUN: env KILN_CHECK=memory KILN_DEVICES=cpu,hip KILN_HIP_LIBRARY=%kiln_lib/libkiln-hip-emulator.so KILN_EMULATED_GPU=gfx942,gfx1100 kiln-run %s write_after --global=64 --local=32 inout:u32[40]=7 2>&1 | FileCheck %s --check-prefix=THREE
// THREE: check: kernel write_after writes 4 bytes
// THREE-NOT: check: kernel
// THREE: check: 1 findings, which occurred 72 times

// What is not checked on GPUs is said once.
// RUN: env KILN_CHECK=memory,races KILN_LOG=error KILN_DEVICES=hip KILN_HIP_LIBRARY=%kiln_lib/libkiln-hip-emulator.so kiln-run %s write_after --global=32 --local=32 inout:u32[40]=7 2>&1 | FileCheck %s --check-prefix=RACES
// RACES: KILN_CHECK=races,init does not check kernels on GPUs

// Code for NVIDIA's GPUs: the check's function, and a report after the comparison.
// RUN: kilnc --target=nvptx:sm_90 --check-memory --emit=asm %s -o - | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry read_after
// PTX: ocl_report_access
// A misaligned access ends the context of NVIDIA's GPUs, so it is divided.
// PTX-LABEL: .entry unaligned_vectors
// PTX: ocl_report_finding
// PTX: ld.global{{[^v]*}}.b8
// PTX: ld.global{{.*}}.v4
// PTX-LABEL: .func {{.*}}ocl_report_access(
// PTX: atom{{.*}}add.u64
