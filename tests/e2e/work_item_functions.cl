// Work-item functions in three dimensions, with an offset and a remainder group, and for dimensions out of range.
// FEATURES: LANG-1.13.1
// RUN: kiln-run %s k --options=-cl-std=CL3.0 --global=5,4,3 --local=2,3,1 --offset=10,20,30 out:u32[60] | FileCheck %s
// CHECK: argument 0: 0 0 0 0
// CHECK-NOT: {{ [1-9]}}
// RUN: kiln-run %s one --options=-cl-std=CL3.0 --global=6 --local=3 --offset=7 out:u32[6] | FileCheck %s --check-prefix=ONE
// ONE: argument 0: 0 0 0 0 0 0{{$}}
#define IS(x) wrong += (x) ? 0 : 1u << counter, ++counter;
#define NOWHERE(d)                                                                                                     \
  IS(get_global_size(d) == 1 && get_local_size(d) == 1 && get_num_groups(d) == 1 && get_enqueued_local_size(d) == 1)   \
  IS(get_global_id(d) == 0 && get_local_id(d) == 0 && get_group_id(d) == 0 && get_global_offset(d) == 0)
kernel void k(global uint *out) {
  uint wrong = 0, counter = 0;
  size_t x = get_global_id(0) - 10, y = get_global_id(1) - 20, z = get_global_id(2) - 30;
  IS(get_work_dim() == 3)
  IS(get_global_size(0) == 5 && get_global_size(1) == 4 && get_global_size(2) == 3)
  IS(get_global_offset(0) == 10 && get_global_offset(1) == 20 && get_global_offset(2) == 30)
  IS(get_num_groups(0) == 3 && get_num_groups(1) == 2 && get_num_groups(2) == 3)
  IS(get_enqueued_local_size(0) == 2 && get_enqueued_local_size(1) == 3 && get_enqueued_local_size(2) == 1)
  IS(get_local_size(0) == (x < 4 ? 2 : 1) && get_local_size(1) == (y < 3 ? 3 : 1) && get_local_size(2) == 1)
  IS(get_group_id(0) == x / 2 && get_group_id(1) == y / 3 && get_group_id(2) == z)
  IS(get_local_id(0) == x % 2 && get_local_id(1) == y % 3 && get_local_id(2) == 0)
  IS(get_global_linear_id() == (z * 4 + y) * 5 + x)
  IS(get_local_linear_id() == get_local_id(1) * get_local_size(0) + get_local_id(0))
  NOWHERE(3) NOWHERE(4u) NOWHERE((uint)-1) NOWHERE((uint)x + 3) // known when it is compiled, or not
  uint last = (uint)z;
  IS(get_global_id(last) - get_global_offset(last) == (last == 0 ? x : last == 1 ? y : z))
  out[get_global_linear_id()] = wrong;
}
kernel void one(global uint *out) {
  uint wrong = 0, counter = 0;
  IS(get_work_dim() == 1 && get_global_linear_id() == get_global_id(0) - 7 && get_local_linear_id() == get_local_id(0))
  NOWHERE(1) NOWHERE(2)
  out[get_global_linear_id()] = wrong;
}
