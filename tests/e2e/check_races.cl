// KILN_CHECK=races reports accesses of two work-items that nothing orders, with both lines, in vector and in scalar code.
// Either access may be the one that is found, so the lines are in any order. Groups run on one thread, for the ids.

// DEFINE: %{check} = env KILN_CHECK=races KILN_CPU_THREADS=1 kiln-run
// DEFINE: %{scalar} = env KILN_CHECK=races KILN_CPU_THREADS=1 KILN_CPU_MACHINE_WIDTH=1 kiln-run

// ---- global memory

// RUN: %{check} %s same_element --global=64 --local=64 inout:u32[64]=0 2>&1 | FileCheck %s --check-prefix=SAME-ELEMENT
// RUN: %{scalar} %s same_element --global=64 --local=64 inout:u32[64]=0 2>&1 | FileCheck %s --check-prefix=SAME-ELEMENT
// SAME-ELEMENT: check: kernel same_element has a race in the buffer of argument 0 (to): byte 0
// SAME-ELEMENT-NEXT: line [[# @LINE + 8]]: to[i / 2] = (uint)i;
// SAME-ELEMENT-NEXT: work-item (1), local id (1) in work-group (0) writes it, address 0x
// SAME-ELEMENT-NEXT: line [[# @LINE + 6]]: to[i / 2] = (uint)i;
// SAME-ELEMENT-NEXT: work-item (0), local id (0) in work-group (0) writes it
// SAME-ELEMENT-NEXT: hint: a barrier with CLK_GLOBAL_MEM_FENCE
// SAME-ELEMENT: check: 1 findings
kernel void same_element(global uint *to) {
  size_t i = get_global_id(0);
  to[i / 2] = (uint)i;
}

// RUN: %{check} %s across_groups --global=64 --local=16 inout:u32[64]=0 2>&1 | FileCheck %s --check-prefix=ACROSS
// RUN: %{scalar} %s across_groups --global=64 --local=16 inout:u32[64]=0 2>&1 | FileCheck %s --check-prefix=ACROSS
// ACROSS: check: kernel across_groups has a race in the buffer of argument 0 (to): byte 0
// ACROSS-NEXT: line [[# @LINE + 8]]: to[get_local_id(0)] = get_group_id(0);
// ACROSS-NEXT: work-item (16), local id (0) in work-group (1) writes it
// ACROSS-NEXT: line [[# @LINE + 6]]: to[get_local_id(0)] = get_group_id(0);
// ACROSS-NEXT: work-item (0), local id (0) in work-group (0) writes it
// ACROSS-NEXT: hint: no barrier orders work-items of different groups
// ACROSS: check: 1 findings, which occurred 48 times
kernel void across_groups(global uint *to) {
  barrier(CLK_GLOBAL_MEM_FENCE);
  to[get_local_id(0)] = get_group_id(0);
}

// Rows of the launch that are longer than those of the matrix share elements; with a pitch of 32 they do not.
// RUN: %{check} %s pitched --global=32,4 --local=16,2 inout:u32[200]=0 i32=31 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: %{scalar} %s pitched --global=32,4 --local=16,2 inout:u32[200]=0 i32=31 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: %{check} %s pitched --global=32,4 --local=16,2 inout:u32[200]=0 i32=0 2>&1 | FileCheck %s --check-prefix=NO-PITCH
// RUN: %{check} %s pitched --global=32,4,2 --local=16,2,1 inout:u32[200]=0 i32=32 2>&1 | FileCheck %s --check-prefix=PLANES
// RUN: %{check} %s pitched --global=32,4 --local=16,2 inout:u32[200]=0 i32=32 2>&1 | FileCheck %s --check-prefix=RIGHT-ROWS --allow-empty
// ROWS: check: kernel pitched has a race in the buffer of argument 0 (to): byte
// ROWS: check: 1 findings, which occurred 3 times
// NO-PITCH: check: 1 findings, which occurred 96 times
// PLANES: check: 1 findings, which occurred 128 times
// RIGHT-ROWS-NOT: check:
kernel void pitched(global uint *to, int pitch) {
  int x = get_global_id(0), y = get_global_id(1);
  to[y * pitch + x] = x;
}

// Tiles of 16 columns that are written as if there were as many as groups in y.
// RUN: %{check} %s transposed --global=32,32 --local=16,16 inout:u32[1200]=0 i32=16 2>&1 | FileCheck %s --check-prefix=TRANSPOSED
// RUN: %{scalar} %s transposed --global=32,32 --local=16,16 inout:u32[1200]=0 i32=16 2>&1 | FileCheck %s --check-prefix=TRANSPOSED
// RUN: %{check} %s transposed --global=32,32 --local=16,16 inout:u32[1200]=0 i32=32 2>&1 | FileCheck %s --check-prefix=RIGHT-TRANSPOSED --allow-empty
// TRANSPOSED: check: kernel transposed has a race in the buffer of argument 0 (to): byte
// RIGHT-TRANSPOSED-NOT: check:
kernel void transposed(global uint *to, int height) {
  local uint tile[16][17];
  int x = get_local_id(0), y = get_local_id(1), left = get_group_id(0) * 16, top = get_group_id(1) * 16;
  tile[y][x] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  to[(left + y) * height + top + x] = tile[x][y];
}

#if __OPENCL_C_VERSION__ >= 200
// Through pointers of which the program chooses the memory: an element of local memory that another work-item reads, and
// one of a buffer.
// RUN: %{check} %s chosen --options=-cl-std=CL3.0 --global=32 --local=32 out:u32[32] inout:u32[64]=1 u32=1 2>&1 | FileCheck %s --check-prefix=CHOSEN-LOCAL
// RUN: %{scalar} %s chosen --options=-cl-std=CL3.0 --global=32 --local=32 out:u32[32] inout:u32[64]=1 u32=1 2>&1 | FileCheck %s --check-prefix=CHOSEN-LOCAL
// RUN: %{check} %s chosen --options=-cl-std=CL3.0 --global=32 --local=32 out:u32[32] inout:u32[64]=1 u32=2 2>&1 | FileCheck %s --check-prefix=CHOSEN-GLOBAL
// RUN: %{scalar} %s chosen --options=-cl-std=CL3.0 --global=32 --local=32 out:u32[32] inout:u32[64]=1 u32=2 2>&1 | FileCheck %s --check-prefix=CHOSEN-GLOBAL
// RUN: %{check} %s chosen --options=-cl-std=CL3.0 --global=32 --local=32 out:u32[32] inout:u32[64]=1 u32=0 2>&1 | FileCheck %s --check-prefix=CHOSEN-PRIVATE --allow-empty
// RUN: %{scalar} %s chosen --options=-cl-std=CL3.0 --global=32 --local=32 out:u32[32] inout:u32[64]=1 u32=0 2>&1 | FileCheck %s --check-prefix=CHOSEN-PRIVATE --allow-empty
// CHOSEN-LOCAL: check: kernel chosen has a race in a local variable
// CHOSEN-LOCAL: line [[# @LINE + 14]]: to[l] = p[(l + 1) % 32];
// CHOSEN-LOCAL: check: 1 findings, which occurred 32 times
// CHOSEN-GLOBAL: check: kernel chosen has a race in global memory
// CHOSEN-GLOBAL: line [[# @LINE + 11]]: to[l] = p[(l + 1) % 32];
// CHOSEN-GLOBAL: check: 1 findings, which occurred 32 times
// CHOSEN-PRIVATE-NOT: check:
kernel void chosen(global uint *to, global uint *a, uint which) {
  local uint tile[32];
  uint own[32], l = get_local_id(0);
  for (int i = 0; i < 32; ++i)
    own[i] = i;
  uint *choice[3] = {own, tile, a};
  uint *p = choice[which];
  p[l] = l;
  to[l] = p[(l + 1) % 32];
}
#endif

// A work-item reads another one's element of the matrix.
// RUN: %{check} %s shorten --global=16,16 --local=16,4 inout:u32[300]=9 u32=16 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: %{scalar} %s shorten --global=16,16 --local=16,4 inout:u32[300]=9 u32=16 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: check: kernel shorten has a race in the buffer of argument 0 (to)
kernel void shorten(global uint *to, uint width) {
  uint x = get_global_id(0), y = get_global_id(1);
  uint sum = to[y * width] + to[3 * width + x];
  if (sum > to[y * width + x])
    to[y * width + x] = sum;
}

// The same in groups of which some are wholly in the matrix and others in part. Nothing is shorter by less than `cost`:
// the elements in the row and the column `middle` are written if that of both is.
// RUN: %{check} %s lead_over --global=48,48 --local=16,8 inout:u32[1400]=iota u32=37 u32=20 u32=800 2>&1 | FileCheck %s --check-prefix=OVER
// RUN: %{scalar} %s lead_over --global=48,48 --local=16,8 inout:u32[1400]=iota u32=37 u32=20 u32=800 2>&1 | FileCheck %s --check-prefix=OVER
// RUN: %{check} %s lead_over --global=48,48 --local=16,8 inout:u32[2400]=iota u32=48 u32=20 u32=1400 2>&1 | FileCheck %s --check-prefix=OVER
// RUN: %{check} %s lead_over --global=48,48 --local=16,8 inout:u32[1400]=iota u32=37 u32=20 u32=700 2>&1 | FileCheck %s --check-prefix=NOT-OVER --allow-empty
// RUN: %{scalar} %s lead_over --global=48,48 --local=16,8 inout:u32[1400]=iota u32=37 u32=20 u32=700 2>&1 | FileCheck %s --check-prefix=NOT-OVER --allow-empty
// OVER-DAG: line [[# @LINE + 7]]: uint length = to[y * nodes + middle] + to[middle * nodes + x] - cost;
// OVER-DAG: line [[# @LINE + 8]]: to[y * nodes + x] = length;
// NOT-OVER-NOT: check:
kernel void lead_over(global uint *to, uint nodes, uint middle, uint cost) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (x >= nodes || y >= nodes)
    return;
  uint length = to[y * nodes + middle] + to[middle * nodes + x] - cost;
  if (length < to[y * nodes + x])
    to[y * nodes + x] = length;
}

// All work-items of a group but the last one read what the next one writes, in each group and in three dimensions.
// RUN: %{check} %s next_plane --global=8,4,6 --local=8,2,3 inout:u32[400]=1 i32=8 i32=32 2>&1 | FileCheck %s --check-prefix=PLANE
// RUN: %{scalar} %s next_plane --global=8,4,6 --local=8,2,3 inout:u32[400]=1 i32=8 i32=32 2>&1 | FileCheck %s --check-prefix=PLANE
// RUN: %{check} %s next_plane --global=8,4,6 --local=8,4,3 inout:u32[400]=1 i32=8 i32=32 2>&1 | FileCheck %s --check-prefix=PLANE
// RUN: %{check} %s next_plane --global=8,4,1 --local=8,2,1 inout:u32[400]=1 i32=8 i32=32 2>&1 | FileCheck %s --check-prefix=ONE-PLANE --allow-empty
// RUN: %{check} %s next_plane --options=-cl-std=CL3.0 --global=7,4,5 --local=4,4,2 inout:u32[400]=1 i32=8 i32=32 2>&1 | FileCheck %s --check-prefix=PARTIAL
// RUN: %{scalar} %s next_plane --options=-cl-std=CL3.0 --global=7,4,5 --local=4,4,2 --offset=1,2,3 inout:u32[400]=1 i32=8 i32=32 2>&1 | FileCheck %s --check-prefix=PARTIAL
// PARTIAL: check: 1 findings, which occurred 112 times
// PLANE: check: kernel next_plane has a race in the buffer of argument 0 (a)
// PLANE: check: 1 findings, which occurred 160 times
// ONE-PLANE-NOT: check:
kernel void next_plane(global uint *a, int pitch, int plane) {
  int i = get_global_id(2) * plane + get_global_id(1) * pitch + get_global_id(0);
  a[i] = a[i + plane];
}

// Pairs at a distance that is a power of two are apart.
// RUN: %{check} %s butterfly --global=64 --local=16 inout:u32[200]=iota u32=4 2>&1 | FileCheck %s --check-prefix=APART --allow-empty
// RUN: %{check} %s butterfly --global=64 --local=16 inout:u32[200]=iota u32=64 2>&1 | FileCheck %s --check-prefix=APART --allow-empty
// RUN: %{check} %s butterfly --global=64 --local=16 inout:u32[200]=iota u32=6 2>&1 | FileCheck %s --check-prefix=BUTTERFLY
// RUN: %{scalar} %s butterfly --global=64 --local=16 inout:u32[200]=iota u32=6 2>&1 | FileCheck %s --check-prefix=BUTTERFLY
// RUN: %{check} %s butterfly --global=64 --local=16 inout:u32[200]=iota u32=0 2>&1 | FileCheck %s --check-prefix=APART --allow-empty
// BUTTERFLY: check: kernel butterfly has a race in the buffer of argument 0 (a)
// APART-NOT: check:
kernel void butterfly(global uint *a, uint distance) {
  uint pair = get_global_id(0), left = 2 * pair - (pair & (distance - 1));
  uint sum = a[left] + a[left + distance];
  a[left] = sum;
  a[left + distance] = sum + 1;
}

// Columns of a matrix, whose height is that of the rows; with another one, and with ids that begin elsewhere.
// RUN: %{check} %s in_columns --global=64 --local=16 inout:u32[200]=0 i32=8 i32=8 2>&1 | FileCheck %s --check-prefix=APART --allow-empty
// RUN: %{check} %s in_columns --global=64 --local=16 inout:u32[200]=0 i32=9 i32=8 2>&1 | FileCheck %s --check-prefix=APART --allow-empty
// RUN: %{check} %s in_columns --global=64 --local=16 inout:u32[200]=0 i32=8 i32=7 2>&1 | FileCheck %s --check-prefix=IN-COLUMNS
// RUN: %{scalar} %s in_columns --global=64 --local=16 inout:u32[200]=0 i32=8 i32=7 2>&1 | FileCheck %s --check-prefix=IN-COLUMNS
// RUN: %{check} %s in_columns --global=64 --local=16 --offset=1 inout:u32[200]=0 i32=8 i32=8 2>&1 | FileCheck %s --check-prefix=IN-COLUMNS
// RUN: %{check} %s two_widths --global=64 --local=16 inout:u32[200]=0 u32=4 u32=8 2>&1 | FileCheck %s --check-prefix=WIDTHS
// RUN: %{check} %s two_widths --global=64 --local=16 inout:u32[200]=0 u32=4 u32=4 2>&1 | FileCheck %s --check-prefix=APART --allow-empty
// IN-COLUMNS: check: kernel in_columns has a race in the buffer of argument 0 (a)
// WIDTHS: check: kernel two_widths has a race in the buffer of argument 0 (a)
kernel void in_columns(global uint *a, int width, int height) {
  int i = get_global_id(0);
  a[i % width * height + i / width] = i;
}
kernel void two_widths(global uint *a, uint width, uint other) {
  uint i = get_global_id(0);
  a[i % width + width * (i / other)] = i;
}

// Rows that are shorter than those of the launch. All numbers are at most 2^32 - 1.
// RUN: %{check} %s in_rows --global=48,4 --local=16,2 inout:u32[200]=0 i32=37 i32=37 2>&1 | FileCheck %s --check-prefix=APART --allow-empty
// RUN: %{check} %s in_rows --global=48,4 --local=16,2 inout:u32[200]=0 i32=37 i32=36 2>&1 | FileCheck %s --check-prefix=IN-ROWS
// RUN: %{scalar} %s in_rows --global=48,4 --local=16,2 inout:u32[200]=0 i32=37 i32=36 2>&1 | FileCheck %s --check-prefix=IN-ROWS
// RUN: %{check} %s in_rows --global=48,4 --local=16,2 inout:u32[200]=0 i32=-1 i32=36 2>&1 | FileCheck %s --check-prefix=APART --allow-empty
// RUN: %{check} %s up_to --global=48,4 --local=16,2 inout:u32[200]=0 u32=7 u32=8 2>&1 | FileCheck %s --check-prefix=APART --allow-empty
// RUN: %{check} %s up_to --global=48,4 --local=16,2 inout:u32[200]=0 u32=8 u32=8 2>&1 | FileCheck %s --check-prefix=UP-TO
// RUN: %{check} %s up_to --global=48,4 --local=16,2 inout:u32[200]=0 u32=4294967295 u32=8 2>&1 | FileCheck %s --check-prefix=UP-TO
// RUN: %{check} %s below --global=48,4 --local=16,2 inout:u32[200]=0 u32=8 u32=8 2>&1 | FileCheck %s --check-prefix=APART --allow-empty
// RUN: %{check} %s below --global=48,4 --local=16,2 inout:u32[200]=0 u32=4294967295 u32=8 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: %{check} %s one_below --global=48,4 --local=16,2 inout:u32[200]=0 u32=8 u32=8 2>&1 | FileCheck %s --check-prefix=ONE-BELOW
// IN-ROWS: check: kernel in_rows has a race in the buffer of argument 0 (a)
// UP-TO: check: kernel up_to has a race in the buffer of argument 0 (a)
// BELOW: check: kernel below has a race in the buffer of argument 0 (a)
// ONE-BELOW: check: kernel one_below has a race in the buffer of argument 0 (a)
kernel void in_rows(global uint *a, int width, int pitch) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < width)
    a[y * pitch + x] = x;
}
kernel void up_to(global uint *a, uint last, uint pitch) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (x > last)
    return;
  a[y * pitch + x] = x;
}
kernel void below(global uint *a, uint width, uint pitch) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (x < width)
    a[y * pitch + x] = x;
}
kernel void one_below(global uint *a, uint width, uint pitch) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (x < width)
    a[y * pitch + x] = x;
  else if (x < width + 1)
    a[y * pitch + x] = x;
}

// One work-item of a group writes the group's element, or a second one does as well.
// RUN: %{check} %s of_groups --global=64 --local=16 inout:u32[4]=0 i32=3 2>&1 | FileCheck %s --check-prefix=APART --allow-empty
// RUN: %{check} %s of_groups --global=64 --local=16 inout:u32[4]=0 i32=4 2>&1 | FileCheck %s --check-prefix=OF-GROUPS
// RUN: %{check} %s of_groups --global=64,2 --local=16,1 inout:u32[4]=0 i32=3 2>&1 | FileCheck %s --check-prefix=OF-GROUPS
// RUN: %{scalar} %s of_groups --global=64 --local=16 inout:u32[4]=0 i32=4 2>&1 | FileCheck %s --check-prefix=OF-GROUPS
// RUN: %{check} %s of_first --global=64 --local=16 inout:u32[4]=0 2>&1 | FileCheck %s --check-prefix=APART --allow-empty
// RUN: %{check} %s of_first --global=64,2 --local=16,1 inout:u32[4]=0 2>&1 | FileCheck %s --check-prefix=OF-FIRST
// RUN: %{check} %s of_first --global=64,2 --local=16,2 inout:u32[4]=0 2>&1 | FileCheck %s --check-prefix=OF-FIRST
// RUN: %{check} %s of_first_two --global=64 --local=16 inout:u32[4]=0 2>&1 | FileCheck %s --check-prefix=OF-TWO
// OF-GROUPS: check: kernel of_groups has a race in the buffer of argument 0 (a)
// OF-FIRST: check: kernel of_first has a race in the buffer of argument 0 (a)
// OF-TWO: check: kernel of_first_two has a race in the buffer of argument 0 (a)
kernel void of_groups(global uint *a, int other) {
  if (get_local_id(0) == 3)
    a[get_group_id(0)] = 1;
  if (get_local_id(0) == other)
    a[get_group_id(0)] = 2;
}
kernel void of_first(global uint *a) {
  if (get_local_id(0) == 0)
    a[get_group_id(0)] = 1;
}
kernel void of_first_two(global uint *a) {
  if (get_local_id(0) == 0)
    a[get_group_id(0)] = 1;
  if (get_local_id(0) == 1)
    a[get_group_id(0)] = 2;
}

// RUN: %{check} %s in_place --global=64 --local=64 inout:f32[66]=1 2>&1 | FileCheck %s --check-prefix=IN-PLACE
// RUN: %{scalar} %s in_place --global=64 --local=64 inout:f32[66]=1 2>&1 | FileCheck %s --check-prefix=IN-PLACE
// IN-PLACE: check: kernel in_place has a race in the buffer of argument 0 (a)
// IN-PLACE-DAG: line [[# @LINE + 5]]: float sum = a[i] + a[i + 1] + a[i + 2];
// IN-PLACE-DAG: line [[# @LINE + 5]]: a[i + 1] = sum;
// IN-PLACE: hint: a barrier with CLK_GLOBAL_MEM_FENCE between the two accesses
kernel void in_place(global float *a) {
  size_t i = get_global_id(0);
  float sum = a[i] + a[i + 1] + a[i + 2];
  a[i + 1] = sum;
}

// The barrier orders the group. The neighbour is in another group for the last work-item.
// RUN: %{check} %s halo --global=64 --local=16 inout:u32[65]=0 out:u32[64] 2>&1 | FileCheck %s --check-prefix=HALO
// RUN: %{scalar} %s halo --global=64 --local=16 inout:u32[65]=0 out:u32[64] 2>&1 | FileCheck %s --check-prefix=HALO
// HALO: check: kernel halo has a race in the buffer of argument 0 (a): byte 64
// HALO-NEXT: line [[# @LINE + 8]]: a[i] = (uint)i;
// HALO-NEXT: work-item (16), local id (0) in work-group (1) writes it
// HALO-NEXT: line [[# @LINE + 8]]: to[i] = a[i + 1];
// HALO-NEXT: work-item (15), local id (15) in work-group (0) reads it
// HALO-NEXT: hint: no barrier orders work-items of different groups
// HALO: check: 1 findings, which occurred 3 times
kernel void halo(global uint *a, global uint *to) {
  size_t i = get_global_id(0);
  a[i] = (uint)i;
  barrier(CLK_GLOBAL_MEM_FENCE);
  to[i] = a[i + 1];
}

// RUN: %{check} %s wrong_flag --global=64 --local=64 inout:u32[64]=0 out:u32[64] 2>&1 | FileCheck %s --check-prefix=WRONG-FLAG
// RUN: %{scalar} %s wrong_flag --global=64 --local=64 inout:u32[64]=0 out:u32[64] 2>&1 | FileCheck %s --check-prefix=WRONG-FLAG
// WRONG-FLAG: check: kernel wrong_flag has a race in the buffer of argument 0 (a)
// WRONG-FLAG-NEXT: line [[# @LINE + 9]]: to[i] = a[63 - i];
// WRONG-FLAG-NEXT: reads it
// WRONG-FLAG-NEXT: line [[# @LINE + 5]]: a[i] = (uint)i;
// WRONG-FLAG-NEXT: writes it
// WRONG-FLAG-NEXT: hint: a barrier with CLK_GLOBAL_MEM_FENCE
kernel void wrong_flag(global uint *a, global uint *to) {
  size_t i = get_global_id(0);
  a[i] = (uint)i;
  barrier(CLK_LOCAL_MEM_FENCE);
  to[i] = a[63 - i];
}

// RUN: %{check} %s atomic_and_write --global=64 --local=64 inout:u32[1]=0 2>&1 | FileCheck %s --check-prefix=ATOMIC-WRITE
// RUN: %{scalar} %s atomic_and_write --global=64 --local=64 inout:u32[1]=0 2>&1 | FileCheck %s --check-prefix=ATOMIC-WRITE
// ATOMIC-WRITE: check: kernel atomic_and_write has a race in the buffer of argument 0 (count): byte 0
// ATOMIC-WRITE-DAG: line [[# @LINE + 6]]: *count = 0;
// ATOMIC-WRITE-DAG: line [[# @LINE + 6]]: atomic_inc(count);
// ATOMIC-WRITE-DAG: has an atomic operation on it
// ATOMIC-WRITE: hint: only one of the two accesses is atomic
kernel void atomic_and_write(global uint *count) {
  if (get_global_id(0) == 0)
    *count = 0;
  atomic_inc(count);
}

// RUN: %{check} %s atomic_and_read --global=64 --local=64 inout:u32[1]=0 out:u32[64] 2>&1 | FileCheck %s --check-prefix=ATOMIC-READ
// RUN: %{scalar} %s atomic_and_read --global=64 --local=64 inout:u32[1]=0 out:u32[64] 2>&1 | FileCheck %s --check-prefix=ATOMIC-READ
// ATOMIC-READ: check: kernel atomic_and_read has a race in the buffer of argument 0 (count): byte 0
// ATOMIC-READ-DAG: line [[# @LINE + 4]]: atomic_add(count, 2);
// ATOMIC-READ-DAG: line [[# @LINE + 4]]: to[get_global_id(0)] = *count;
// ATOMIC-READ: hint: only one of the two accesses is atomic
kernel void atomic_and_read(global uint *count, global uint *to) {
  atomic_add(count, 2);
  to[get_global_id(0)] = *count;
}

// RUN: %{check} %s bytes --global=64 --local=64 inout:u8[64]=0 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: %{scalar} %s bytes --global=64 --local=64 inout:u8[64]=0 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: check: kernel bytes has a race in the buffer of argument 0 (to): byte 21
// BYTES-DAG: work-item (21), local id (21)
// BYTES-DAG: work-item (22), local id (22)
// BYTES: check: 1 findings, which occurred 1 times
kernel void bytes(global uchar *to) {
  size_t i = get_global_id(0);
  to[i == 22 ? 21 : i] = 1;
}

// RUN: %{check} %s vectors --global=16 --local=16 inout:f32[80]=0 2>&1 | FileCheck %s --check-prefix=VECTORS
// RUN: %{scalar} %s vectors --global=16 --local=16 inout:f32[80]=0 2>&1 | FileCheck %s --check-prefix=VECTORS
// VECTORS: check: kernel vectors has a race in the buffer of argument 0 (to): byte 12
// VECTORS-NEXT: line [[# @LINE + 4]]: vstore4((float4)(i), 0, to + 3 * i);
// VECTORS: check: 1 findings, which occurred 15 times
kernel void vectors(global float *to) {
  size_t i = get_global_id(0);
  vstore4((float4)(i), 0, to + 3 * i);
}

// A long has two ints.
// RUN: %{check} %s sizes --global=16 --local=16 inout:u32[32]=0 out:u32[16] 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: %{scalar} %s sizes --global=16 --local=16 inout:u32[32]=0 out:u32[16] 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: check: kernel sizes has a race in the buffer of argument 0 (a)
// SIZES-DAG: line [[# @LINE + 4]]: ((global ulong *)a)[i] = i;
// SIZES-DAG: line [[# @LINE + 4]]: to[i] = a[2 * ((i + 1) % 16) + 1];
kernel void sizes(global uint *a, global uint *to) {
  size_t i = get_global_id(0);
  ((global ulong *)a)[i] = i;
  to[i] = a[2 * ((i + 1) % 16) + 1];
}

struct Pair {
  int first, second;
};
// RUN: %{check} %s structs --global=16 --local=16 inout:u32[34]=0 2>&1 | FileCheck %s --check-prefix=STRUCTS
// RUN: %{scalar} %s structs --global=16 --local=16 inout:u32[34]=0 2>&1 | FileCheck %s --check-prefix=STRUCTS
// STRUCTS: check: kernel structs has a race in the buffer of argument 0 (pairs)
// STRUCTS-NEXT: line [[# @LINE + 4]]: pairs[i] = pairs[i + 1];
// STRUCTS: line [[# @LINE + 3]]: pairs[i] = pairs[i + 1];
kernel void structs(global struct Pair *pairs) {
  size_t i = get_global_id(0);
  pairs[i] = pairs[i + 1];
}

// The next iteration writes what others still read.
// RUN: %{check} %s iterations --global=16 --local=16 inout:u32[16]=0 2>&1 | FileCheck %s --check-prefix=ITERATIONS
// RUN: %{scalar} %s iterations --global=16 --local=16 inout:u32[16]=0 2>&1 | FileCheck %s --check-prefix=ITERATIONS
// ITERATIONS: check: kernel iterations has a race in the buffer of argument 0 (a)
// ITERATIONS-DAG: line [[# @LINE + 6]]: a[i] = sum;
// ITERATIONS-DAG: line [[# @LINE + 7]]: sum += a[(i + 1) % 16];
// ITERATIONS: check: 1 findings
kernel void iterations(global uint *a) {
  uint i = get_global_id(0), sum = i;
  for (uint k = 0; k < 3; ++k) {
    a[i] = sum;
    barrier(CLK_GLOBAL_MEM_FENCE);
    sum += a[(i + 1) % 16];
  }
}

#if __OPENCL_C_VERSION__ >= 200
// The flag is not read with acquire.
// RUN: %{check} %s no_acquire --options=-cl-std=CL3.0 --global=2 --local=1 inout:u32[1]=0 inout:u32[1]=0 out:u32[2] 2>&1 | FileCheck %s --check-prefix=NO-ACQUIRE
// NO-ACQUIRE: check: kernel no_acquire has a race in the buffer of argument 0 (data): byte 0
// NO-ACQUIRE-NEXT: line [[# @LINE + 9]]: to[1] = *data;
// NO-ACQUIRE-NEXT: work-item (1), local id (0) in work-group (1) reads it
// NO-ACQUIRE-NEXT: line [[# @LINE + 4]]: *data = 7;
// NO-ACQUIRE-NEXT: work-item (0), local id (0) in work-group (0) writes it
kernel void no_acquire(global uint *data, global atomic_uint *flag, global uint *to) {
  if (get_global_id(0) == 0) {
    *data = 7;
    atomic_store_explicit(flag, 1u, memory_order_release, memory_scope_device);
  } else if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device)) {
    to[1] = *data;
  }
}

// RUN: %{check} %s message --options=-cl-std=CL3.0 --global=2 --local=1 inout:u32[1]=0 inout:u32[1]=0 out:u32[2] 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: %{check} %s message_by_fences --options=-cl-std=CL3.0 --global=2 --local=1 inout:u32[1]=0 inout:u32[1]=0 out:u32[2] 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: %{check} %s last_group --options=-cl-std=CL3.0 --global=256 --local=16 in:u32[256]=iota inout:u32[16]=0 inout:u32[1]=0 out:u32[1] 2>&1 | FileCheck %s --check-prefixes=RIGHT,LAST
// RUN: %{scalar} %s last_group --options=-cl-std=CL3.0 --global=256 --local=16 in:u32[256]=iota inout:u32[16]=0 inout:u32[1]=0 out:u32[1] 2>&1 | FileCheck %s --check-prefixes=RIGHT,LAST
// RIGHT-NOT: check:
// LAST: argument 3: 32640
kernel void message(global uint *data, global atomic_uint *flag, global uint *to) {
  if (get_global_id(0) == 0) {
    *data = 7;
    atomic_store_explicit(flag, 1u, memory_order_release, memory_scope_device);
  } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)) {
    to[1] = *data;
  }
}
kernel void message_by_fences(global uint *data, global atomic_uint *flag, global uint *to) {
  if (get_global_id(0) == 0) {
    *data = 7;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    atomic_store_explicit(flag, 1u, memory_order_relaxed, memory_scope_device);
  } else if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device)) {
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
    to[1] = *data;
  }
}
kernel void last_group(global const uint *in, global uint *part, global atomic_uint *done, global uint *to) {
  local uint tile[16];
  local uint isLast;
  uint l = get_local_id(0);
  tile[l] = in[get_global_id(0)];
  for (uint step = 8; step; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < step)
      tile[l] += tile[l + step];
  }
  if (l == 0) {
    part[get_group_id(0)] = tile[0];
    isLast = atomic_fetch_add_explicit(done, 1u, memory_order_acq_rel, memory_scope_device) == 15;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (isLast && l == 0) {
    uint sum = 0;
    for (uint i = 0; i < 16; ++i)
      sum += part[i];
    *to = sum;
  }
}

// RUN: %{check} %s program_variable --options=-cl-std=CL3.0 --global=4 --local=4 2>&1 | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: check: kernel program_variable has a race in global memory
// PROGRAM-NEXT: line [[# @LINE + 4]]: shared_number = get_global_id(0);
// PROGRAM: line [[# @LINE + 3]]: shared_number = get_global_id(0);
global uint shared_number;
kernel void program_variable() {
  shared_number = get_global_id(0);
}
#endif

// ---- local memory

// RUN: %{check} %s no_barrier --global=64 --local=32 out:u32[64] 2>&1 | FileCheck %s --check-prefix=NO-BARRIER
// RUN: %{scalar} %s no_barrier --global=64 --local=32 out:u32[64] 2>&1 | FileCheck %s --check-prefix=NO-BARRIER
// NO-BARRIER: check: kernel no_barrier has a race in a local variable ({{.*}}tile)
// NO-BARRIER-DAG: line [[# @LINE + 7]]: tile[l] = (uint)l;
// NO-BARRIER-DAG: line [[# @LINE + 7]]: to[get_global_id(0)] = tile[31 - l];
// NO-BARRIER: hint: a barrier with CLK_LOCAL_MEM_FENCE between the two accesses
// NO-BARRIER: check: 1 findings
kernel void no_barrier(global uint *to) {
  local uint tile[32];
  size_t l = get_local_id(0);
  tile[l] = (uint)l;
  to[get_global_id(0)] = tile[31 - l];
}

// RUN: %{check} %s wrong_local_flag --global=32 --local=32 out:u32[32] local=128 2>&1 | FileCheck %s --check-prefix=LOCAL-FLAG
// RUN: %{scalar} %s wrong_local_flag --global=32 --local=32 out:u32[32] local=128 2>&1 | FileCheck %s --check-prefix=LOCAL-FLAG
// LOCAL-FLAG: check: kernel wrong_local_flag has a race in the local memory of argument 1 (tile)
// LOCAL-FLAG-NEXT: line [[# @LINE + 6]]: to[l] = tile[(l + 1) % 32];
// LOCAL-FLAG: line [[# @LINE + 3]]: tile[l] = (uint)l;
kernel void wrong_local_flag(global uint *to, local uint *tile) {
  size_t l = get_local_id(0);
  tile[l] = (uint)l;
  barrier(CLK_GLOBAL_MEM_FENCE);
  to[l] = tile[(l + 1) % 32];
}

// The second barrier of the loop is missing.
// RUN: %{check} %s tiles --global=32 --local=32 in:u32[128]=iota out:u32[32] 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: %{scalar} %s tiles --global=32 --local=32 in:u32[128]=iota out:u32[32] 2>&1 | FileCheck %s --check-prefix=TILES
// TILES: check: kernel tiles has a race in a local variable
// TILES-DAG: line [[# @LINE + 7]]: tile[l] = from[32 * k + l];
// TILES-DAG: line [[# @LINE + 8]]: sum += tile[31 - l];
// TILES: check: 1 findings
kernel void tiles(global const uint *from, global uint *to) {
  local uint tile[32];
  uint l = get_local_id(0), sum = 0;
  for (uint k = 0; k < 4; ++k) {
    tile[l] = from[32 * k + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += tile[31 - l];
  }
  to[l] = sum;
}

// RUN: %{check} %s histogram_race --global=64 --local=64 in:u32[64]=iota out:u32[8] 2>&1 | FileCheck %s --check-prefix=HISTOGRAM
// RUN: %{scalar} %s histogram_race --global=64 --local=64 in:u32[64]=iota out:u32[8] 2>&1 | FileCheck %s --check-prefix=HISTOGRAM
// HISTOGRAM: check: kernel histogram_race has a race in a local variable
// HISTOGRAM-DAG: line [[# @LINE + 9]]: atomic_inc(&bins[from[l] % 8]);
// HISTOGRAM-DAG: line [[# @LINE + 10]]: to[l] = bins[l];
// HISTOGRAM: hint: only one of the two accesses is atomic
kernel void histogram_race(global const uint *from, global uint *to) {
  local uint bins[8];
  size_t l = get_local_id(0);
  if (l < 8)
    bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&bins[from[l] % 8]);
  if (l < 8)
    to[l] = bins[l];
}

// The work-items of a warp are not in lockstep in OpenCL.
// RUN: %{check} %s lockstep --global=32 --local=32 in:u32[32]=1 out:u32[1] 2>&1 | FileCheck %s --check-prefix=LOCKSTEP
// RUN: %{scalar} %s lockstep --global=32 --local=32 in:u32[32]=1 out:u32[1] 2>&1 | FileCheck %s --check-prefix=LOCKSTEP
// LOCKSTEP: check: kernel lockstep has a race in a local variable
// LOCKSTEP-NEXT: line {{[0-9]+}}: tile[l] += tile[l + {{[0-9]+}}];
kernel void lockstep(global const uint *from, global uint *to) {
  local volatile uint tile[64];
  size_t l = get_local_id(0);
  tile[l] = from[l];
  tile[l + 32] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[l] += tile[l + 16];
  tile[l] += tile[l + 8];
  tile[l] += tile[l + 4];
  tile[l] += tile[l + 2];
  tile[l] += tile[l + 1];
  if (l == 0)
    *to = tile[0];
}

// RUN: %{check} %s transpose --global=16,16 --local=16,16 in:u32[256]=iota out:u32[256] 2>&1 | FileCheck %s --check-prefix=TRANSPOSE
// RUN: %{scalar} %s transpose --global=16,16 --local=16,16 in:u32[256]=iota out:u32[256] 2>&1 | FileCheck %s --check-prefix=TRANSPOSE
// TRANSPOSE: check: kernel transpose has a race in a local variable
// TRANSPOSE-DAG: line [[# @LINE + 6]]: tile[y][x] = from[16 * y + x];
// TRANSPOSE-DAG: line [[# @LINE + 6]]: to[16 * y + x] = tile[x][y];
// TRANSPOSE: check: 1 findings
kernel void transpose(global const uint *from, global uint *to) {
  local uint tile[16][17];
  size_t x = get_local_id(0), y = get_local_id(1);
  tile[y][x] = from[16 * y + x];
  to[16 * y + x] = tile[x][y];
}

// RUN: %{check} %s local_bytes --global=16 --local=16 out:u8[16] 2>&1 | FileCheck %s --check-prefix=LOCAL-BYTES
// LOCAL-BYTES: check: kernel local_bytes has a race in a local variable
// LOCAL-BYTES-DAG: line [[# @LINE + 5]]: tile[l] = l;
// LOCAL-BYTES-DAG: line [[# @LINE + 5]]: to[l] = tile[l ^ 1];
kernel void local_bytes(global uchar *to) {
  local uchar tile[16];
  size_t l = get_local_id(0);
  tile[l] = l;
  to[l] = tile[l ^ 1];
}

// RUN: %{check} %s everyone_writes --global=16 --local=16 out:u32[16] 2>&1 | FileCheck %s --check-prefix=EVERYONE
// RUN: %{scalar} %s everyone_writes --global=16 --local=16 out:u32[16] 2>&1 | FileCheck %s --check-prefix=EVERYONE
// EVERYONE: check: kernel everyone_writes has a race in a local variable
// EVERYONE-NEXT: line [[# @LINE + 6]]: last = get_local_id(0);
// EVERYONE-NEXT: writes it
// EVERYONE-NEXT: line [[# @LINE + 4]]: last = get_local_id(0);
// EVERYONE: check: 1 findings
kernel void everyone_writes(global uint *to) {
  local uint last;
  last = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  to[get_local_id(0)] = last;
}

// RUN: %{check} %s no_wait --global=16 --local=16 in:u32[16]=iota out:u32[16] 2>&1 | FileCheck %s --check-prefix=NO-WAIT
// NO-WAIT: check: kernel no_wait has a race in a local variable
// NO-WAIT-DAG: line [[# @LINE + 4]]: event_t copied = async_work_group_copy(tile, from, 16, 0);
// NO-WAIT-DAG: line [[# @LINE + 4]]: to[get_local_id(0)] = tile[15 - get_local_id(0)];
kernel void no_wait(global const uint *from, global uint *to) {
  local uint tile[16];
  event_t copied = async_work_group_copy(tile, from, 16, 0);
  to[get_local_id(0)] = tile[15 - get_local_id(0)];
  wait_group_events(1, &copied);
}

// ---- sub-groups

#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#if __OPENCL_C_VERSION__ >= 200
// The work-items of a sub-group are not in lockstep in OpenCL either.
// RUN: %{check} %s sub_group_tile --options=-cl-std=CL3.0 --global=64 --local=64 in:u32[64]=iota out:u32[64] 2>&1 | FileCheck %s --check-prefix=SUB-GROUP
// RUN: %{scalar} %s sub_group_tile --options=-cl-std=CL3.0 --global=64 --local=64 in:u32[64]=iota out:u32[64] 2>&1 | FileCheck %s --check-prefix=SUB-GROUP
// SUB-GROUP: check: kernel sub_group_tile has a race in a local variable
// SUB-GROUP-DAG: line [[# @LINE + 6]]: tile[l] = from[l];
// SUB-GROUP-DAG: line [[# @LINE + 6]]: to[l] = tile[l ^ 1];
// SUB-GROUP: hint: a barrier with CLK_LOCAL_MEM_FENCE
kernel void sub_group_tile(global const uint *from, global uint *to) {
  local uint tile[64];
  uint l = get_local_id(0);
  tile[l] = from[l];
  to[l] = tile[l ^ 1];
}

// A sub-group's result has no order with accesses of its work-items.
// RUN: %{check} %s sub_group_sum --options=-cl-std=CL3.0 --global=64 --local=64 in:u32[64]=iota inout:u32[64]=0 2>&1 | FileCheck %s --check-prefix=SUB-GROUP-SUM
// SUB-GROUP-SUM: check: kernel sub_group_sum has a race in the buffer of argument 1 (to): byte 0
// SUB-GROUP-SUM-NEXT: line [[# @LINE + 5]]: to[0] = sum;
// SUB-GROUP-SUM: line [[# @LINE + 4]]: to[0] = sum;
// SUB-GROUP-SUM: check: 1 findings
kernel void sub_group_sum(global const uint *from, global uint *to) {
  uint sum = sub_group_reduce_add(from[get_global_id(0)]);
  to[0] = sum;
}

// The barrier of the sub-group names the other memory.
// RUN: %{check} %s sub_group_flag --options=-cl-std=CL3.0 --global=64 --local=64 inout:u32[64]=0 out:u32[64] 2>&1 | FileCheck %s --check-prefix=SUB-GROUP-FLAG
// SUB-GROUP-FLAG: check: kernel sub_group_flag has a race in the buffer of argument 0 (a)
// SUB-GROUP-FLAG-DAG: line [[# @LINE + 5]]: a[l] = l;
// SUB-GROUP-FLAG-DAG: line [[# @LINE + 6]]: to[l] = a[l ^ 1];
// SUB-GROUP-FLAG: hint: a barrier with CLK_GLOBAL_MEM_FENCE
kernel void sub_group_flag(global uint *a, global uint *to) {
  uint l = get_local_id(0);
  a[l] = l;
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  to[l] = a[l ^ 1];
}

// ---- atomic operations in local memory, and their scopes

// RUN: %{check} %s local_total --options=-cl-std=CL3.0 --global=32 --local=32 out:u32[1] 2>&1 | FileCheck %s --check-prefix=TOTAL
// RUN: %{scalar} %s local_total --options=-cl-std=CL3.0 --global=32 --local=32 out:u32[1] 2>&1 | FileCheck %s --check-prefix=TOTAL
// TOTAL: check: kernel local_total has a race in a local variable
// TOTAL-DAG: line [[# @LINE + 6]]: total = 0;
// TOTAL-DAG: line [[# @LINE + 6]]: atomic_add(&total, 1u);
// TOTAL: hint: only one of the two accesses is atomic
kernel void local_total(global uint *to) {
  local uint total;
  if (get_local_id(0) == 0)
    total = 0;
  atomic_add(&total, 1u);
  barrier(CLK_LOCAL_MEM_FENCE);
  *to = total;
}

// A flag in local memory that is released, and read without acquire.
// RUN: %{check} %s local_flag --options=-cl-std=CL3.0 --global=2 --local=2 out:u32[2] 2>&1 | FileCheck %s --check-prefix=LOCAL-RELEASE
// LOCAL-RELEASE: check: kernel local_flag has a race in a local variable ({{.*}}data)
// LOCAL-RELEASE-NEXT: line [[# @LINE + 14]]: to[1] = data;
// LOCAL-RELEASE-NEXT: work-item (1), local id (1) in work-group (0) reads it
// LOCAL-RELEASE-NEXT: line [[# @LINE + 9]]: data = 7;
// LOCAL-RELEASE-NEXT: work-item (0), local id (0) in work-group (0) writes it
kernel void local_flag(global uint *to) {
  local uint data;
  local atomic_uint flag;
  if (get_local_id(0) == 0)
    atomic_init(&flag, 0u);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    data = 7;
    atomic_store_explicit(&flag, 1u, memory_order_release, memory_scope_work_group);
  } else if (atomic_load_explicit(&flag, memory_order_relaxed, memory_scope_work_group) < 2u) {
    to[1] = data;
  }
}
#endif

// ---- copies

// The copy writes what the work-items still read.
// RUN: %{check} %s copy_over --global=16 --local=16 in:u32[32]=iota out:u32[16] 2>&1 | FileCheck %s --check-prefix=COPY-OVER
// COPY-OVER: check: kernel copy_over has a race in a local variable
// COPY-OVER-DAG: line [[# @LINE + 7]]: uint sum = tile[15 - get_local_id(0)];
// COPY-OVER-DAG: line [[# @LINE + 7]]: copied = async_work_group_copy(tile, from + 16, 16, 0);
// COPY-OVER: check: 1 findings
kernel void copy_over(global const uint *from, global uint *to) {
  local uint tile[16];
  event_t copied = async_work_group_copy(tile, from, 16, 0);
  wait_group_events(1, &copied);
  uint sum = tile[15 - get_local_id(0)];
  copied = async_work_group_copy(tile, from + 16, 16, 0);
  wait_group_events(1, &copied);
  to[get_local_id(0)] = sum + tile[get_local_id(0)];
}

// ---- what only some launches have

// Each work-item has its own element in a launch of one dimension, and shares it with others in a launch of two.
// RUN: %{check} %s columns --global=64 --local=64 inout:u32[64]=0 2>&1 | FileCheck %s --check-prefix=ONE-DIMENSION
// ONE-DIMENSION-NOT: check:
// ONE-DIMENSION: argument 0: 1 1 1
// RUN: %{check} %s columns --global=64,2 --local=64,1 inout:u32[64]=0 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: %{scalar} %s columns --global=64,2 --local=64,1 inout:u32[64]=0 2>&1 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: check: kernel columns has a race in the buffer of argument 0 (to): byte 0
// COLUMNS-NEXT: line [[# @LINE + 4]]: to[get_global_id(0)] += 1;
// COLUMNS: hint: no barrier orders work-items of different groups
// COLUMNS: check: 1 findings, which occurred 64 times
kernel void columns(global uint *to) {
  to[get_global_id(0)] += 1;
}

// Elements of two work-items overlap.
// RUN: %{check} %s pairs --global=64 --local=64 inout:u32[66]=0 2>&1 | FileCheck %s --check-prefix=PAIRS
// PAIRS: check: kernel pairs has a race in the buffer of argument 0 (to)
// PAIRS: check: 1 findings, which occurred 63 times
kernel void pairs(global uint *to) {
  size_t i = get_global_id(0);
  to[i] = 1, to[i + 1] = 2;
}

// All groups access local memory alike: each of them has the race.
// RUN: %{check} %s each_group --global=256 --local=64 out:u32[256] 2>&1 | FileCheck %s --check-prefix=EACH-GROUP
// RUN: %{scalar} %s each_group --global=256 --local=64 out:u32[256] 2>&1 | FileCheck %s --check-prefix=EACH-GROUP
// EACH-GROUP: check: kernel each_group has a race in a local variable (each_group.tile)
// EACH-GROUP: check: 1 findings, which occurred 252 times
kernel void each_group(global uint *to) {
  local uint tile[65];
  uint l = get_local_id(0);
  tile[l] = l;
  to[get_global_id(0)] = tile[l + (l < 63)];
}

// Only the last group has the race, because of its id, of its number of iterations, and of its size.
// RUN: %{check} %s third_group --global=256 --local=64 out:u32[256] 2>&1 | FileCheck %s --check-prefix=THIRD-GROUP
// THIRD-GROUP: check: kernel third_group has a race in a local variable (third_group.tile)
// THIRD-GROUP: in work-group (3)
kernel void third_group(global uint *to) {
  local uint tile[65];
  uint l = get_local_id(0), shift = get_group_id(0) / 3;
  tile[l] = l;
  to[get_global_id(0)] = tile[l + shift];
}
// RUN: %{check} %s last_iteration --global=256 --local=64 out:u32[256] 2>&1 | FileCheck %s --check-prefix=LAST-ITERATION
// LAST-ITERATION: check: kernel last_iteration has a race in a local variable (last_iteration.tile)
// LAST-ITERATION: in work-group (3)
kernel void last_iteration(global uint *to) {
  local uint tile[65];
  uint l = get_local_id(0), sum = 0;
  tile[l] = l;
  for (uint shift = 0; shift < 1 + get_group_id(0) / 3; ++shift)
    sum += tile[l + shift];
  to[get_global_id(0)] = sum;
}
// RUN: %{check} %s last_size --global=224 --local=64 --options=-cl-std=CL3.0 out:u32[224] 2>&1 | FileCheck %s --check-prefix=LAST-SIZE
// LAST-SIZE: check: kernel last_size has a race in a local variable (last_size.tile)
// LAST-SIZE: in work-group (3)
kernel void last_size(global uint *to) {
  local uint tile[65];
  uint l = get_local_id(0), shift = get_local_size(0) == 64 ? 0 : 1;
  tile[l] = l;
  to[get_global_id(0)] = tile[l + shift];
}

// One vector of work-items counts in local memory, and the first one reads the number without a barrier.
// RUN: %{check} %s counted --global=16 --local=16 out:u32[1] 2>&1 | FileCheck %s --check-prefix=COUNTED
// COUNTED: check: kernel counted has a race in a local variable ({{.*}}count)
// COUNTED-NEXT: line [[# @LINE + 12]]: to[0] = count;
// COUNTED-NEXT: work-item (0), local id (0) in work-group (0) reads it
// COUNTED-NEXT: line [[# @LINE + 8]]: atomic_inc(&count);
// COUNTED: hint: only one of the two accesses is atomic
kernel void counted(global uint *to) {
  local uint count;
  uint l = get_local_id(0);
  if (l == 0)
    count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&count);
  if (l == 0)
    to[0] = count;
}
