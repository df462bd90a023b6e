// Kernels that spend nearly all of their time on the line with the word hot.
#define TIMES(n) for (int round = 0; round < n; ++round)
kernel void chain(global float *out) {
  float x = get_global_id(0);
  TIMES(ROUNDS) x = x * 0.75f + 0.25f / (x + 1); // hot
  out[get_global_id(0)] = x;
}
kernel void hash(global float *out) {
  uint x = get_global_id(0);
  TIMES(ROUNDS * 2) x = (x ^ (x >> 15)) * 0x2c1b3c6du + (uint)round; // hot
  out[get_global_id(0)] = x;
}
float step_of(float x) {
  return sqrt(x * 1.5f + 2) + 1 / x; // hot
}
kernel void callee(global float *out) {
  float x = get_global_id(0) + 1;
  for (int round = 0; round < ROUNDS; ++round)
    x = step_of(x);
  out[get_global_id(0)] = x;
}
kernel void transcendental(global float *out) {
  float x = get_global_id(0);
  TIMES(ROUNDS / 8) x = sin(x) + exp(cos(x)); // hot
  out[get_global_id(0)] = x;
}
kernel void shared(global float *out) {
  local float all[64];
  const int i = get_local_id(0);
  all[i] = out[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  float x = 0;
  TIMES(ROUNDS / 16) x = x * 0.5f + all[(i + round) & 63]; // hot
  barrier(CLK_LOCAL_MEM_FENCE);
  all[63 - i] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = all[i];
}
kernel void gather(global float *out) {
  float x = 0;
  int at = get_global_id(0);
  TIMES(ROUNDS / 4) at = (int)(out[at & 1023] + at * 5 + round) & 1023; // hot
  out[get_global_id(0)] = at;
}
kernel void components(global float *out) {
  float4 x = (float4)(get_global_id(0), 1, 2, 3);
  TIMES(ROUNDS / 2) x = x.yzwx * 0.5f + 1 / (x + 2); // hot
  out[get_global_id(0)] = x.x + x.y + x.z + x.w;
}
kernel void divergent(global float *out) {
  uint x = get_global_id(0) & 63;
  TIMES(ROUNDS * (1 + (x & 1))) x = x * 1664525u + 1013904223u + (x >> 7); // hot
  out[get_global_id(0)] = x;
}
kernel void division(global float *out) {
  uint x = get_global_id(0) + 7;
  TIMES(ROUNDS / 4) x = 0x7fffffffu / (x % 1000 + 1) + (uint)round; // hot
  out[get_global_id(0)] = x;
}
kernel void longs(global float *out) {
  long x = get_global_id(0);
  TIMES(ROUNDS) x = x * 6364136223846793005L + (x >> 33); // hot
  out[get_global_id(0)] = (float)x;
}
