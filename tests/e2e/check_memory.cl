// KILN_CHECK=memory reports each wrong access with its line, its object and its work-item, in vector and in scalar code,
// and leaves it out: reads get zero, and the kernel goes on.

// DEFINE: %{check} = env KILN_CHECK=memory KILN_CPU_THREADS=1 kiln-run
// DEFINE: %{scalar} = env KILN_CHECK=memory KILN_CPU_THREADS=1 KILN_CPU_MACHINE_WIDTH=1 kiln-run

// RUN: %{check} %s read_after --global=64 --local=64 out:u32[64] in:u32[64]=iota 2>&1 | FileCheck %s --check-prefix=READ-AFTER
// RUN: %{scalar} %s read_after --global=64 --local=64 out:u32[64] in:u32[64]=iota 2>&1 | FileCheck %s --check-prefix=READ-AFTER
// READ-AFTER: check: kernel read_after reads 4 bytes outside of the buffer of argument 1 (from), which has 256 bytes: right after its end
// READ-AFTER-NEXT: line [[# @LINE + 6]]: to[i] = from[i + 1];
// READ-AFTER-NEXT: work-item (63), local id (63) in work-group (0), address 0x
// READ-AFTER: argument 0: 1 2 3 4
// READ-AFTER-SAME: 62 63 0{{$}}
kernel void read_after(global uint *to, global const uint *from) {
  size_t i = get_global_id(0);
  to[i] = from[i + 1];
}

// RUN: %{check} %s read_before --global=64 --local=16 out:f32[64] in:f32[64]=1 2>&1 | FileCheck %s --check-prefix=READ-BEFORE
// RUN: %{scalar} %s read_before --global=64 --local=16 out:f32[64] in:f32[64]=1 2>&1 | FileCheck %s --check-prefix=READ-BEFORE
// READ-BEFORE: check: kernel read_before reads 4 bytes outside of the buffer of argument 1 (from), which has 256 bytes: 8 bytes before its begin
// READ-BEFORE-NEXT: line [[# @LINE + 6]]: to[i] = from[i - 2];
// READ-BEFORE-NEXT: work-item (0), local id (0) in work-group (0)
// READ-BEFORE: argument 0: 0 0 1 1
kernel void read_before(global float *to, global const float *from) {
  int i = get_global_id(0);
  // The second line of the kernel.
  to[i] = from[i - 2];
}

// Without an alternative the store is left out. The first group is right.
// RUN: %{check} %s write_after --global=64 --local=32 inout:u32[40]=7 2>&1 | FileCheck %s --check-prefix=WRITE-AFTER
// RUN: %{scalar} %s write_after --global=64 --local=32 inout:u32[40]=7 2>&1 | FileCheck %s --check-prefix=WRITE-AFTER
// WRITE-AFTER: check: kernel write_after writes 4 bytes outside of the buffer of argument 0 (to), which has 160 bytes: right after its end
// WRITE-AFTER-NEXT: line [[# @LINE + 7]]: to[i] = (uint)i;
// WRITE-AFTER-NEXT: work-item (40), local id (8) in work-group (1)
// WRITE-AFTER-NOT: check: kernel
// WRITE-AFTER: argument 0: 0 1 2 3
// WRITE-AFTER-SAME: 38 39{{$}}
kernel void write_after(global uint *to) {
  const size_t i = get_global_id(0);
  to[i] = (uint)i;
}

// RUN: %{check} %s atomic_after --global=64 --local=64 inout:u32[8]=0 2>&1 | FileCheck %s --check-prefix=ATOMIC-AFTER
// RUN: %{scalar} %s atomic_after --global=64 --local=64 inout:u32[8]=0 2>&1 | FileCheck %s --check-prefix=ATOMIC-AFTER
// ATOMIC-AFTER: check: kernel atomic_after has an atomic operation on 4 bytes outside of the buffer of argument 0 (to), which has 32 bytes: right after its end
// ATOMIC-AFTER-NEXT: line [[# @LINE + 4]]: atomic_inc(&to[get_global_id(0) / 4]);
// ATOMIC-AFTER-NEXT: work-item (32), local id (32) in work-group (0)
// ATOMIC-AFTER: argument 0: 4 4 4 4 4 4 4 4{{$}}
kernel void atomic_after(global uint *to) {
  atomic_inc(&to[get_global_id(0) / 4]);
}

// RUN: %{check} %s local_array --global=16 --local=16 out:u32[16] 2>&1 | FileCheck %s --check-prefix=LOCAL-ARRAY
// RUN: %{scalar} %s local_array --global=16 --local=16 out:u32[16] 2>&1 | FileCheck %s --check-prefix=LOCAL-ARRAY
// LOCAL-ARRAY: check: kernel local_array reads 4 bytes outside of a local variable ({{.*}}tile), which has 64 bytes: right after its end
// LOCAL-ARRAY-NEXT: line [[# @LINE + 9]]: to[i] = tile[l + 1];
// LOCAL-ARRAY-NEXT: work-item (15), local id (15) in work-group (0)
// LOCAL-ARRAY: argument 0: 1 2 3
// LOCAL-ARRAY-SAME: 14 15 0{{$}}
kernel void local_array(global uint *to) {
  local uint tile[16];
  size_t i = get_global_id(0), l = get_local_id(0);
  tile[l] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  to[i] = tile[l + 1];
}

// RUN: %{check} %s local_argument --global=16 --local=16 out:u32[16] local=40 local=64 2>&1 | FileCheck %s --check-prefix=LOCAL-ARGUMENT
// RUN: %{scalar} %s local_argument --global=16 --local=16 out:u32[16] local=40 local=64 2>&1 | FileCheck %s --check-prefix=LOCAL-ARGUMENT
// LOCAL-ARGUMENT: check: kernel local_argument writes 4 bytes outside of the local memory of argument 1 (first), which has 40 bytes: right after its end
// LOCAL-ARGUMENT-NEXT: line [[# @LINE + 6]]: first[l] = 5;
// LOCAL-ARGUMENT-NEXT: work-item (10), local id (10) in work-group (0)
// LOCAL-ARGUMENT: check: kernel local_argument reads
// LOCAL-ARGUMENT: argument 0: 11 11 11 11 11 11 11 11 11 11 6 6 6 6 6 6{{$}}
kernel void local_argument(global uint *to, local uint *first, local uint *second) {
  size_t l = get_local_id(0);
  first[l] = 5;
  second[l] = 6;
  barrier(CLK_LOCAL_MEM_FENCE);
  to[l] = first[l] + second[15 - l];
}

// RUN: %{check} %s private_array --global=16 --local=16 out:u32[16] in:u32[16]=3,5,9,1 2>&1 | FileCheck %s --check-prefix=PRIVATE
// RUN: %{scalar} %s private_array --global=16 --local=16 out:u32[16] in:u32[16]=3,5,9,1 2>&1 | FileCheck %s --check-prefix=PRIVATE
// PRIVATE: check: kernel private_array reads 4 bytes outside of a private variable, which has 32 bytes: 4 bytes after its end
// PRIVATE-NEXT: line [[# @LINE + 8]]: to[i] = own[index[i]];
// PRIVATE-NEXT: work-item (2), local id (2) in work-group (0)
// PRIVATE: argument 0: 9 25 0 1 9 25 0 1
kernel void private_array(global uint *to, global const uint *index) {
  size_t i = get_global_id(0);
  uint own[8];
  for (uint k = 0; k < 8; ++k)
    own[k] = k * k;
  to[i] = own[index[i]];
}

// RUN: %{check} %s table --global=16 --local=16 out:u32[16] 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: %{scalar} %s table --global=16 --local=16 out:u32[16] 2>&1 | FileCheck %s --check-prefix=TABLE
// TABLE: check: kernel table reads 4 bytes outside of a constant variable ({{.*}}primes), which has 20 bytes: right after its end
// TABLE-NEXT: line [[# @LINE + 5]]: to[get_global_id(0)] = primes[get_global_id(0)];
// TABLE-NEXT: work-item (5), local id (5) in work-group (0)
// TABLE: argument 0: 2 3 5 7 11 0 0 0
constant uint primes[5] = {2, 3, 5, 7, 11};
kernel void table(global uint *to) {
  to[get_global_id(0)] = primes[get_global_id(0)];
}

// RUN: %{check} %s constant_buffer --global=16 --local=16 out:u8[16] in:u8[3]=4 2>&1 | FileCheck %s --check-prefix=CONSTANT
// CONSTANT: check: kernel constant_buffer reads 1 bytes outside of the buffer of argument 1 (from), which has 3 bytes: right after its end
// CONSTANT-NEXT: line [[# @LINE + 4]]: to[get_global_id(0)] = from[get_global_id(0)];
// CONSTANT-NEXT: work-item (3), local id (3) in work-group (0)
// CONSTANT: argument 0: 4 4 4 0 0
kernel void constant_buffer(global uchar *to, constant uchar *from) {
  to[get_global_id(0)] = from[get_global_id(0)];
}

// The last vector begins in the buffer.
// RUN: %{check} %s straddles --global=8 --local=8 out:f32[8] in:f32[30]=1 2>&1 | FileCheck %s --check-prefix=STRADDLES
// STRADDLES: check: kernel straddles reads 16 bytes outside of the buffer of argument 1 (from), which has 120 bytes: of which the last 8 are after its end
// STRADDLES-NEXT: line [[# @LINE + 4]]: float4 v = vload4(get_global_id(0), from);
// STRADDLES-NEXT: work-item (7), local id (7) in work-group (0)
// STRADDLES: argument 0: 4 4 4 4 4 4 4 0{{$}}
kernel void straddles(global float *to, global const float *from) {
  float4 v = vload4(get_global_id(0), from);
  to[get_global_id(0)] = v.x + v.y + v.z + v.w;
}

// RUN: %{check} %s copies --global=16 --local=16 out:u32[16] in:u32[12]=1 2>&1 | FileCheck %s --check-prefix=COPIES
// COPIES: check: kernel copies reads 4 bytes outside of the buffer of argument 1 (from), which has 48 bytes: right after its end
// COPIES-NEXT: line [[# @LINE + 5]]
// COPIES-NEXT: work-item (12), local id (12) in work-group (0)
// COPIES: argument 0: 1 1 1 1 1 1 1 1 1 1 1 1 0 0 0 0{{$}}
kernel void copies(global uint *to, global const uint *from) {
  local uint tile[16];
  event_t done = async_work_group_copy(tile, from, 16, 0);
  wait_group_events(1, &done);
  to[get_local_id(0)] = tile[get_local_id(0)];
}

// RUN: %{check} %s records --global=4 --local=4 out:u32[32] in:u32[24]=2 2>&1 | FileCheck %s --check-prefix=RECORDS
// RECORDS: check: kernel records reads {{[0-9]+}} bytes outside of the buffer of argument 1 (from), which has 96 bytes: right after its end
// RECORDS-NEXT: line [[# @LINE + 5]]: to[get_global_id(0)] = from[get_global_id(0)];
// RECORDS-NEXT: work-item (3), local id (3) in work-group (0)
// RECORDS: argument 0: 2 2 2
typedef struct { uint parts[8]; } Record;
kernel void records(global Record *to, global const Record *from) {
  to[get_global_id(0)] = from[get_global_id(0)];
}

// A pointer that a loop advances, with another number of iterations in each work-item.
// RUN: %{check} %s advances --global=16 --local=16 out:u32[16] in:u32[13]=1 2>&1 | FileCheck %s --check-prefix=ADVANCES
// RUN: %{scalar} %s advances --global=16 --local=16 out:u32[16] in:u32[13]=1 2>&1 | FileCheck %s --check-prefix=ADVANCES
// ADVANCES: check: kernel advances reads 4 bytes outside of the buffer of argument 1 (from), which has 52 bytes: right after its end
// ADVANCES-NEXT: line [[# @LINE + 6]]: sum += *from++;
// ADVANCES-NEXT: work-item (14), local id (14) in work-group (0)
// ADVANCES: argument 0: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 13 13{{$}}
kernel void advances(global uint *to, global const uint *from) {
  uint sum = 0;
  for (uint n = get_global_id(0); n; --n)
    sum += *from++;
  to[get_global_id(0)] = sum;
}

// Work-items that the condition excludes are not checked, those that it selects are.
// RUN: %{check} %s selected --global=32 --local=32 out:u32[32] in:u32[16]=3 2>&1 | FileCheck %s --check-prefix=SELECTED
// RUN: %{scalar} %s selected --global=32 --local=32 out:u32[32] in:u32[16]=3 2>&1 | FileCheck %s --check-prefix=SELECTED
// SELECTED-NOT: line [[# @LINE + 8]]
// SELECTED: check: kernel selected reads 4 bytes outside of the buffer of argument 1 (from), which has 64 bytes: 24 bytes after its end
// SELECTED-NEXT: line [[# @LINE + 8]]: sum += from[i];
// SELECTED-NEXT: work-item (22), local id (22) in work-group (0)
// SELECTED-NOT: check: kernel
kernel void selected(global uint *to, global const uint *from) {
  uint i = get_global_id(0), sum = 0;
  if (i < 16 && i % 3)
    sum = from[i];
  if (i == 22)
    sum += from[i];
  to[i] = sum;
}

// One address for all work-items, in a branch that only some take.
// RUN: %{check} %s uniform --global=32 --local=32 out:u32[32] in:u32[16]=3 u32=16 2>&1 | FileCheck %s --check-prefix=UNIFORM
// UNIFORM: check: kernel uniform reads 4 bytes outside of the buffer of argument 1 (from), which has 64 bytes: right after its end
// UNIFORM-NEXT: line [[# @LINE + 6]]: to[i] = from[at];
// UNIFORM-NEXT: work-item (5), local id (5) in work-group (0)
// UNIFORM-NOT: check: kernel
kernel void uniform(global uint *to, global const uint *from, uint at) {
  uint i = get_global_id(0);
  if (i % 8 == 5)
    to[i] = from[at];
}

// RUN: %{check} %s scattered --global=32 --local=32 out:u32[32] in:u32[16]=3 in:u32[32]=5,2,15,3,16,1,0,7 2>&1 | FileCheck %s --check-prefix=SCATTERED
// RUN: %{scalar} %s scattered --global=32 --local=32 out:u32[32] in:u32[16]=3 in:u32[32]=5,2,15,3,16,1,0,7 2>&1 | FileCheck %s --check-prefix=SCATTERED
// SCATTERED: check: kernel scattered reads 4 bytes outside of the buffer of argument 1 (from), which has 64 bytes: right after its end
// SCATTERED-NEXT: line [[# @LINE + 4]]: to[get_global_id(0)] = from[order[get_global_id(0)]];
// SCATTERED-NEXT: work-item (4), local id (4) in work-group (0)
// SCATTERED: argument 0: 3 3 3 3 0 3 3 3 3 3 3 3 0
kernel void scattered(global uint *to, global const uint *from, global const uint *order) {
  to[get_global_id(0)] = from[order[get_global_id(0)]];
}

// RUN: %{check} %s plane --global=8,4 --local=8,2 out:f64[32] in:f64[24]=1 2>&1 | FileCheck %s --check-prefix=PLANE
// PLANE: check: kernel plane reads 8 bytes outside of the buffer of argument 1 (from), which has 192 bytes: right after its end
// PLANE-NEXT: line [[# @LINE + 5]]: to[8 * y + x] = from[8 * y + x];
// PLANE-NEXT: work-item (0, 3), local id (0, 1) in work-group (0, 1)
// PLANE-NOT: check: kernel
kernel void plane(global double *to, global const double *from) {
  int x = get_global_id(0), y = get_global_id(1);
  to[8 * y + x] = from[8 * y + x];
}

// A store after a side effect: each work-item of the vector is checked.
// RUN: %{check} %s second_store --global=64 --local=64 out:u32[64] inout:u32[50]=0 2>&1 | FileCheck %s --check-prefix=SECOND
// SECOND: check: kernel second_store writes 4 bytes outside of the buffer of argument 1 (second), which has 200 bytes: right after its end
// SECOND-NEXT: line [[# @LINE + 7]]: second[i] = 3;
// SECOND-NEXT: work-item (50), local id (50) in work-group (0)
// SECOND: argument 0: 2 2 2
// SECOND: argument 1: 3 3 3
kernel void second_store(global uint *first, global uint *second) {
  size_t i = get_global_id(0);
  first[i] = 2;
  second[i] = 3;
}

// Findings of a suppressed line are not reported; the others set the exit status and are in the report.
// RUN: echo "read_aft*:*  # known" > %t.suppressed
// RUN: rm -f %t.json
// RUN: env KILN_CHECK=memory KILN_CHECK_SUPPRESS=%t.suppressed KILN_CHECK_EXIT=9 KILN_CPU_THREADS=1 kiln-run %s read_after --global=64 --local=64 out:u32[64] in:u32[64]=iota 2>&1 | FileCheck %s --check-prefix=SUPPRESSED
// SUPPRESSED-NOT: check: kernel
// SUPPRESSED: check: 0 findings, which occurred 0 times; 1 suppressed
// RUN: not env KILN_CHECK=memory KILN_CHECK_SUPPRESS=%t.suppressed KILN_CHECK_EXIT=9 KILN_CHECK_REPORT=%t.json KILN_CPU_THREADS=1 kiln-run %s write_after --global=64 --local=32 inout:u32[40]=7
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// JSON: {"program":"{{.*}}kiln-run","pid":{{[0-9]+}},"suppressed":0,"found":[{"check":"memory","kernel":"write_after","file":
// JSON-SAME: "source":"to[i] = (uint)i;","access":"write","argument":0,"what":"writes 4 bytes
// JSON-SAME: "global_id":[40],{{.*}}"count":24,"created_at":"kiln-run+0x{{[0-9a-f]+}}{{.*}}"}]}

// A check that there is not is refused.
// RUN: env KILN_CHECK=speed kiln-run %s write_after --global=32 --local=32 inout:u32[40]=7 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: 'speed' is none of memory,races,init,barriers

// Each work-item reads a row, and the last one's has 5 elements less.
// RUN: %{check} %s rows --global=32 --local=32 out:f32[32] in:f32[1275]=1 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: %{scalar} %s rows --global=32 --local=32 out:f32[32] in:f32[1275]=1 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: check: kernel rows reads 4 bytes outside of the buffer of argument 1 (from), which has 5100 bytes: right after its end
// ROWS-NEXT: line [[# @LINE + 9]]: sum += from[i * 40 + k];
// ROWS-NEXT: work-item (31), local id (31) in work-group (0)
// ROWS: check: 1 findings, which occurred 5 times
// ROWS: argument 0: 40 40
// ROWS-SAME: 40 35{{$}}
kernel void rows(global float *to, global const float *from) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < 40; ++k)
    sum += from[i * 40 + k];
  to[i] = sum;
}

struct Point {
  float x, y, z, w;
};
// RUN: %{check} %s fields --global=32 --local=32 inout:f32[122]=1 2>&1 | FileCheck %s --check-prefix=FIELDS
// RUN: %{scalar} %s fields --global=32 --local=32 inout:f32[122]=1 2>&1 | FileCheck %s --check-prefix=FIELDS
// FIELDS-DAG: check: kernel fields reads 4 bytes outside of the buffer of argument 0 (points), which has 488 bytes
// FIELDS-DAG: line [[# @LINE + 6]]: p->y += p->z;
// FIELDS-DAG: check: kernel fields writes 4 bytes outside of the buffer of argument 0 (points), which has 488 bytes
// FIELDS-DAG: line [[# @LINE + 5]]: p->w = p->x;
// FIELDS: argument 0: 1 2 1 1
kernel void fields(global struct Point *points) {
  global struct Point *p = points + get_global_id(0);
  p->y += p->z;
  p->w = p->x;
}

// ---- alignment: the access is carried out

// RUN: %{check} %s unaligned_vectors --global=8 --local=8 out:f32[8] in:f32[33]=iota 2>&1 | FileCheck %s --check-prefix=UNALIGNED
// RUN: %{scalar} %s unaligned_vectors --global=8 --local=8 out:f32[8] in:f32[33]=iota 2>&1 | FileCheck %s --check-prefix=UNALIGNED
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
// RUN: %{check} %s unaligned_shorts --global=8 --local=8 inout:u8[32]=0 2>&1 | FileCheck %s --check-prefix=SHORTS
// RUN: %{scalar} %s unaligned_shorts --global=8 --local=8 inout:u8[32]=0 2>&1 | FileCheck %s --check-prefix=SHORTS
// SHORTS: check: kernel unaligned_shorts writes at an address that is not a multiple of 2 bytes, the alignment of the type: the buffer of argument 0 (to): byte 3
// SHORTS-NEXT: line [[# @LINE + 6]]: *(global ushort *)(to + 3 * i) = 513;
// SHORTS-NEXT: work-item (1), local id (1) in work-group (0)
// SHORTS: check: 1 findings, which occurred 4 times
// SHORTS: argument 0: 1 2 0 1 2 0 1 2 0
kernel void unaligned_shorts(global uchar *to) {
  int i = get_global_id(0);
  *(global ushort *)(to + 3 * i) = 513;
}

// RUN: %{check} %s unaligned_private --global=8 --local=8 out:u32[8] in:u32[8]=iota 2>&1 | FileCheck %s --check-prefix=UNALIGNED-PRIVATE
// UNALIGNED-PRIVATE: check: kernel unaligned_private reads at an address that is not a multiple of 4 bytes, the alignment of the type: a private variable
// UNALIGNED-PRIVATE-NEXT: line [[# @LINE + 8]]: to[i] = *(uint *)(bytes + from[i]);
// UNALIGNED-PRIVATE-NEXT: work-item (1), local id (1) in work-group (0)
// UNALIGNED-PRIVATE: check: 1 findings, which occurred 6 times
kernel void unaligned_private(global uint *to, global const uint *from) {
  uchar bytes[16] __attribute__((aligned(16)));
  int i = get_global_id(0);
  for (int k = 0; k < 16; ++k)
    bytes[k] = k + i;
  to[i] = *(uint *)(bytes + from[i]);
}

// Multiples of the type's alignment, which the compiler proves or the code computes.
// RUN: %{check} %s aligned --global=8 --local=8 out:f32[8] in:f32[32]=iota i32=4 local=512 2>&1 | FileCheck %s --check-prefix=ALIGNED
// RUN: %{scalar} %s aligned --global=8 --local=8 out:f32[8] in:f32[32]=iota i32=4 local=512 2>&1 | FileCheck %s --check-prefix=ALIGNED
// ALIGNED-NOT: check:
// ALIGNED: argument 0: 12 44 76 108
kernel void aligned(global float *to, global const float *from, int step, local float *tile) {
  int i = get_global_id(0);
  float4 a = *(global const float4 *)(from + 4 * i), b = *(global const float4 *)(from + i * step);
  local float4 *vectors = (local float4 *)tile;
  vectors[i] = a + b;
  barrier(CLK_LOCAL_MEM_FENCE);
  to[i] = vectors[i].x + vectors[i].y + vectors[i].z + vectors[i].w;
}

// ---- pointers from memory

// A loaded pointer does not lead out of the buffer that it points into.
struct Part {
  global uint *at;
};
// RUN: %{check} %s loaded --global=4 --local=4 inout:u32[64]=3 out:u64[4] 2>&1 | FileCheck %s --check-prefix=LOADED
// LOADED: check: kernel loaded writes 4 bytes outside of a buffer, which has 256 bytes: right after its end
// LOADED-NEXT: line [[# @LINE + 8]]: parts[i].at[16] = i;
// LOADED-NEXT: work-item (3), local id (3) in work-group (0)
// LOADED-NEXT: created at kiln-run+0x
// LOADED: check: 1 findings, which occurred 1 times
kernel void loaded(global uint *to, global struct Part *parts) {
  size_t i = get_global_id(0);
  parts[i].at = to + 16 * i;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  parts[i].at[16] = i;
}
