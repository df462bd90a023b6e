__kernel void scale(__global float *to, __global const float *from, __global const int *which) {
  int i = get_global_id(0);
  float x = to[i];
  x = x * x + 1.0f;
  x = x * x + 2.0f;
  x = x * x + 3.0f;
  to[i] = native_sin(x) * from[which[i]];
}
__kernel void lock(volatile __global int *held, __global int *count) {
  while (atomic_cmpxchg(held, 0, 1))
    ;
  ++*count;
  atomic_xchg(held, 0);
}

kernel void in_groups(global const float *in, global float *out) {
  out[get_global_id(0)] = in[get_group_id(0)];
}
