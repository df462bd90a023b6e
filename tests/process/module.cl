// Compiled to SPIR-V for BadInput_test.cpp: a little of everything that a module may hold.
typedef struct {
  float4 place;
  int count[3];
} Body;

constant float weights[4] = {0.5f, 0.25f, 0.125f, 0.0625f};

float weigh(float x, int times) {
  float sum = 0;
  for (int i = 0; i < times; ++i) {
    if (sum > 100.0f)
      break;
    sum += weights[i & 3] * sqrt(fabs(x)) + i;
  }
  return sum;
}

kernel void add(global const int *a, global const int *b, global int *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}

kernel void mixed(global Body *bodies, local float *room, global volatile int *counter, uint n) {
  size_t i = get_local_id(0), g = get_global_id(0);
  room[i] = g < n ? weigh(bodies[g].place.x, bodies[g].count[1]) : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
    if (i < step)
      room[i] += room[i + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  switch (n & 3) {
  case 0: atomic_inc(counter); break;
  case 1: atomic_add(counter, 5); // falls through
  default: bodies[g].place = bodies[g].place.wzyx * room[0];
  }
  bodies[g].count[2] = convert_int_sat(bodies[g].place.y) + (int)popcount(n);
}
