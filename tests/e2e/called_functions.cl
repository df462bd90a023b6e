// Functions that are too large for inlining at each call are called.

// A large function with many calls: inlining would give 50,000 operations. It has the name of a C library function.
// RUN: kiln-clc -cl-std=CL2.0 %s -o %t.spv
// RUN: kilnc --kernel=large --emit=llvm %t.spv -o - | FileCheck %s --check-prefix=CODE
// CODE-DAG: define internal {{.*}}@called.memcpy(
// CODE-DAG: define {{.*}}@large.group
// RUN: kiln-run %s large --options=-cl-std=CL2.0 --global=5 --local=5 out:i32[5] | FileCheck %s --check-prefix=LARGE
// LARGE: argument 0: 1 1 1 1 1{{$}}

#define R8(x) x x x x x x x x
#define R64(x) R8(R8(x))
#define R512(x) R8(R64(x))
uint memcpy(uint state, global const int *none) {
  R512(state = state * 1664525u + 1013904223u; state ^= state >> 15; if (state == 7) state += none[0];)
  return state;
}
uint mixed(uint state, int times) {
  for (int i = 0; i < times * 512; ++i) {
    state = state * 1664525u + 1013904223u;
    state ^= state >> 15;
  }
  return state;
}
kernel void large(global int *out) {
  const uint i = get_global_id(0);
  uint state = i;
  R8(state = memcpy(state, out);)
  if (i & 1)
    state = memcpy(memcpy(state, out), out);
  out[i] = state == mixed(i, i & 1 ? 10 : 8);
}

// Everything that a called function can use: ids and sizes, through two calls; program variables, constants, its own and
// its caller's private memory, memory of each address space through a generic pointer, structs by value.
// RUN: env %calling kiln-run %s uses --options=-cl-std=CL2.0 --global=12 --local=4 --offset=3 out:i32[15] out:i32[1] | FileCheck %s --check-prefix=USES
// RUN: kiln-run %s uses --options=-cl-std=CL2.0 --global=12 --local=4 --offset=3 out:i32[15] out:i32[1] | FileCheck %s --check-prefix=USES
// USES: argument 0: 0 0 0 2149 2099 2129 2159 2205 2155 2185 2215 2261 2211 2241 2271{{$}}
// USES: argument 1: 24{{$}}
constant int table[4] = {10, 20, 30, 40};
global int base = 1000;
typedef struct {
  int a, b[3];
} pair_t;

int position(void) { return get_global_id(0) + get_local_size(0) * get_group_id(0); }
int sum(int *p, int n) {
  int own[4], total = 0;
  for (int i = 0; i < n; ++i)
    own[i & 3] = p[i];
  for (int i = 0; i < n; ++i)
    total += own[i & 3];
  return total;
}
int all(pair_t pair, int *memory, global int *counter) {
  atomic_inc(counter);
  pair.b[1] += table[pair.a & 3];
  return pair.b[1] + sum(memory, 3) + position() + position() + base;
}
kernel void uses(global int *out, global int *counter) {
  local int shared[3];
  const int i = get_global_id(0);
  if (get_local_id(0) < 3)
    shared[get_local_id(0)] = 3 * get_local_id(0);
  int own[3] = {i, i + 1, i + 2};
  barrier(CLK_LOCAL_MEM_FENCE);
  pair_t pair = {i, {1, 2, 3}};
  out[i] = all(pair, shared, counter) + all(pair, own, counter) + pair.b[1] * 10 + sum(own, 3);
}

// A large function that prints stays a call, if its string literals are in it.
// RUN: kilnc --kernel=prints --emit=llvm %t.spv -o - | FileCheck %s --check-prefix=PRINTING
// PRINTING: define internal {{.*}}@called.noisy(
// RUN: kiln-run %s prints --options=-cl-std=CL2.0 --global=2 --local=2 out:i32[2] | FileCheck %s --check-prefix=PRINTS
// PRINTS-DAG: state 3: nought
// PRINTS-DAG: state 4: nought
// PRINTS-DAG: argument 0: 1 1{{$}}
uint noisy(uint state, int times) {
  const uint first = state;
  R512(state = state * 1664525u + 1013904223u; state ^= state >> 15; if (state == 7) state += times;)
  if (first < 16)
    printf("state %u: %s\n", first, "nought");
  return state;
}
kernel void prints(global int *out) {
  const uint i = get_global_id(0);
  uint state = i + 3;
  R8(state = noisy(state, 512);)
  state = noisy(noisy(state, 512), 512);
  out[i] = state == mixed(i + 3, 10);
}
