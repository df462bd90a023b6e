// Barriers in every kind of control flow, on every device. On the CPU, each kernel runs with parallel regions and with
// resume points (%resuming).
// FEATURES: EXEC-3.2.2b

// RUN: kiln-run %s break_on_flag --global=16 --local=8 out:i32[16] | FileCheck %s --check-prefix=FLAG
// RUN: env %resuming kiln-run %s break_on_flag --global=16 --local=8 out:i32[16] | FileCheck %s --check-prefix=FLAG
// FLAG: argument 0: 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4
kernel void break_on_flag(global int *out) {
  local int stop;
  int iterations = 0;
  for (;;) {
    if (get_local_id(0) == 0)
      stop = iterations == 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    int leave = stop;
    barrier(CLK_LOCAL_MEM_FENCE);
    ++iterations;
    if (leave)
      break;
  }
  out[get_global_id(0)] = iterations;
}

// RUN: kiln-run %s nested_ifs --global=8 --local=8 out:i32[8] i32=1 i32=1 | FileCheck %s --check-prefix=IFS
// RUN: env %resuming kiln-run %s nested_ifs --global=8 --local=8 out:i32[8] i32=1 i32=1 | FileCheck %s --check-prefix=IFS
// IFS: argument 0: 7 6 5 4 3 2 1 0
// RUN: kiln-run %s nested_ifs --global=8 --local=8 out:i32[8] i32=1 i32=0 | FileCheck %s --check-prefix=IFS2
// RUN: env %resuming kiln-run %s nested_ifs --global=8 --local=8 out:i32[8] i32=1 i32=0 | FileCheck %s --check-prefix=IFS2
// IFS2: argument 0: 0 10 20 30 40 50 60 70
kernel void nested_ifs(global int *out, int a, int b) {
  local int tile[8];
  int l = get_local_id(0);
  if (a) {
    tile[l] = l;
    if (b) {
      barrier(CLK_LOCAL_MEM_FENCE);
      out[get_global_id(0)] = tile[7 - l];
    } else {
      tile[l] *= 10;
      barrier(CLK_LOCAL_MEM_FENCE);
      out[get_global_id(0)] = tile[l];
    }
  }
}

// RUN: kiln-run %s in_switch --global=8 --local=4 out:i32[8] i32=2 | FileCheck %s --check-prefix=SWITCH
// RUN: env %resuming kiln-run %s in_switch --global=8 --local=4 out:i32[8] i32=2 | FileCheck %s --check-prefix=SWITCH
// SWITCH: argument 0: 3 2 1 0 3 2 1 0
// RUN: kiln-run %s in_switch --global=8 --local=4 out:i32[8] i32=0 | FileCheck %s --check-prefix=SWITCH0
// RUN: env %resuming kiln-run %s in_switch --global=8 --local=4 out:i32[8] i32=0 | FileCheck %s --check-prefix=SWITCH0
// SWITCH0: argument 0: 1 2 3 0 1 2 3 0
// RUN: kiln-run %s in_switch --global=8 --local=4 out:i32[8] i32=9 | FileCheck %s --check-prefix=SWITCH9
// RUN: env %resuming kiln-run %s in_switch --global=8 --local=4 out:i32[8] i32=9 | FileCheck %s --check-prefix=SWITCH9
// SWITCH9: argument 0: -1 -1 -1 -1 -1 -1 -1 -1
kernel void in_switch(global int *out, int which) {
  local int tile[4];
  int l = get_local_id(0), value = -1;
  tile[l] = l;
  switch (which) {
  case 0:
    barrier(CLK_LOCAL_MEM_FENCE);
    value = tile[(l + 1) % 4];
    break;
  case 2:
    barrier(CLK_LOCAL_MEM_FENCE);
    value = tile[3 - l];
    break;
  default:
    break;
  }
  out[get_global_id(0)] = value;
}

// RUN: kiln-run %s in_callee --global=16 --local=8 inout:i32[16]=iota local=32 | FileCheck %s --check-prefix=CALLEE
// RUN: env %resuming kiln-run %s in_callee --global=16 --local=8 inout:i32[16]=iota local=32 | FileCheck %s --check-prefix=CALLEE
// CALLEE: argument 0: 28 28 28 28 28 28 28 28 92 92 92 92 92 92 92 92
int sum_of_group(local int *tile, int value) {
  int l = get_local_id(0), n = get_local_size(0);
  tile[l] = value;
  for (int s = n / 2; s > 0; s /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < s)
      tile[l] += tile[l + s];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return tile[0];
}
kernel void in_callee(global int *data, local int *tile) {
  data[get_global_id(0)] = sum_of_group(tile, data[get_global_id(0)]);
}

// RUN: kiln-run %s early_return --global=16 --local=8 out:i32[16] i32=11 | FileCheck %s --check-prefix=EARLY
// RUN: env %resuming kiln-run %s early_return --global=16 --local=8 out:i32[16] i32=11 | FileCheck %s --check-prefix=EARLY
// EARLY: argument 0: 1 2 3 4 5 6 7 0 9 10 8 0 0 0 0 0
kernel void early_return(global int *out, int n) {
  local int tile[8];
  int g = get_global_id(0), l = get_local_id(0), first = g - l;
  if (g >= n)
    return;
  tile[l] = g;
  barrier(CLK_LOCAL_MEM_FENCE);
  int live = min(8, n - first);
  out[g] = tile[(l + 1) % live];
}

// RUN: kiln-run %s divergent_loop_inside --global=8 --local=8 out:i32[8] i32=3 | FileCheck %s --check-prefix=INSIDE
// RUN: env %resuming kiln-run %s divergent_loop_inside --global=8 --local=8 out:i32[8] i32=3 | FileCheck %s --check-prefix=INSIDE
// INSIDE: argument 0: 0 6 12 18 24 30 36 42
kernel void divergent_loop_inside(global int *out, int iterations) {
  local int tile[8];
  int l = get_local_id(0), total = 0;
  for (int r = 0; r < iterations; ++r) {
    int steps = 0;
    while (steps < l) // a different trip count in each work-item
      ++steps;
    tile[7 - l] = steps;
    barrier(CLK_LOCAL_MEM_FENCE);
    total += tile[7 - l] + l;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[l] = total;
}

// RUN: kiln-run %s live_struct_and_array --global=12 --local=12 out:i32[12] | FileCheck %s --check-prefix=LIVE
// RUN: env %resuming kiln-run %s live_struct_and_array --global=12 --local=12 out:i32[12] | FileCheck %s --check-prefix=LIVE
// LIVE: argument 0: 11 22 33 44 55 66 77 88 99 110 121 0
typedef struct {
  int4 v;
  char c;
  long total;
} state;
kernel void live_struct_and_array(global int *out) {
  local int tile[12];
  int l = get_local_id(0);
  state s;
  s.v = (int4)(l, 2 * l, 3 * l, 4 * l);
  s.c = (char)l;
  s.total = 0;
  int powers[4];
  for (int i = 0; i < 4; ++i)
    powers[i] = l * i;
  tile[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  s.total = s.v.x + s.v.w + powers[3] + powers[0] + s.c + 2 * s.c; // 1 + 4 + 3 + 0 + 1 + 2 = 11 each
  tile[l] = (int)s.total;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = tile[(l + 1) % 12];
}

// Work-items leave a loop with a barrier at different iterations. This is undefined behaviour, but the kernel must end,
// and the results must be correct.
// RUN: kiln-run %s divergent_exit --global=8 --local=8 out:i32[8] | FileCheck %s --check-prefix=LEAVES
// RUN: env %resuming kiln-run %s divergent_exit --global=8 --local=8 out:i32[8] | FileCheck %s --check-prefix=LEAVES
// LEAVES: argument 0: 1 2 3 4 5 6 7 8
kernel void divergent_exit(global int *out) {
  int l = get_local_id(0), iterations = 0;
  for (int i = 0; i <= l; ++i) {
    barrier(CLK_LOCAL_MEM_FENCE);
    ++iterations;
  }
  out[l] = iterations;
}

// Three dimensions, an odd local size, and values that live across a barrier in slots indexed by all three ids.
// RUN: kiln-run %s three_dimensions --global=4,3,2 --local=2,3,2 out:i32[24] | FileCheck %s --check-prefix=THREE
// RUN: env %resuming kiln-run %s three_dimensions --global=4,3,2 --local=2,3,2 out:i32[24] | FileCheck %s --check-prefix=THREE
// THREE: argument 0: 11 10 11 10 9 8 9 8 7 6 7 6 5 4 5 4 3 2 3 2 1 0 1 0
kernel void three_dimensions(global int *out) {
  local int tile[12];
  int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
  int linear = (z * 3 + y) * 2 + x;
  tile[linear] = linear;
  barrier(CLK_LOCAL_MEM_FENCE);
  int g = (get_global_id(2) * 3 + get_global_id(1)) * 4 + get_global_id(0);
  out[g] = tile[11 - linear];
}

// A function whose only barrier proves to be dead code is inlined in a loop around a barrier.
// RUN: kiln-run %s dead_barrier --global=4 --local=4 out:i32[4] i32=3 | FileCheck %s --check-prefix=DEAD
// DEAD: argument 0: 3 6 9 12{{$}}
int first_above(int bound, int count, local int *values) {
  int never = 0;
  if (never)
    barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < count; ++i)
    if (values[i] > bound)
      return i;
  return count;
}
kernel void dead_barrier(global int *out, int rounds) {
  local int values[4];
  const int id = get_local_id(0);
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    values[id] = id * 10;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += first_above(id * 10 + round, 4, values);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[id] = sum;
}
