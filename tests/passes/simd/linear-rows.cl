// Groups of 1 x n work-items are rows along y, also in regions with slots, linear ids and atomics: their order is that
// of x in groups of n.
// RUN: kiln-clc -cl-std=CL3.0 %s -o %t.spv
// RUN: kilnc --target=cpu:x86-64-v4 --kernel=k --local-size=1,64,1 --report %t.spv -o /dev/null 2>&1 | FileCheck %s --check-prefix=LINEAR
// RUN: kilnc --target=cpu:x86-64-v4 --kernel=k --local-size=1,1,64 --report %t.spv -o /dev/null 2>&1 | FileCheck %s --check-prefix=Z
// RUN: kilnc --target=cpu:x86-64-v4 --kernel=k --local-size=2,64,1 --report %t.spv -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER

// LINEAR-COUNT-2: kernel 'k' is vectorized: {{[0-9]+}} work-items per vector along dimension 1
// LINEAR-NOT: own address
// Z-COUNT-2: kernel 'k' is vectorized: {{[0-9]+}} work-items per vector along dimension 2
// OTHER-NOT: along dimension

// The global linear id rises by the global size in x from row to row.
// RUN: kilnc --target=cpu:x86-64-v4 --kernel=numbers --local-size=1,64,1 --report %t.spv -o /dev/null 2>&1 | FileCheck %s --check-prefix=NUMBERS
// NUMBERS-NOT: is vectorized
kernel void k(global const float *in, global float *out, local float *tile) {
  const size_t item = get_local_linear_id(), group = get_group_id(1), items = get_local_size(1) * get_local_size(2);
  const float own = in[group * items + item]; // in a slot
  tile[item] = own * own;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[group * items + item] = own + tile[(item + 1) % items];
}

kernel void numbers(global uint *out, local uint *tile) {
  const size_t id = get_global_linear_id();
  tile[get_local_id(1)] = id;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[id] = tile[63 - get_local_id(1)];
}
