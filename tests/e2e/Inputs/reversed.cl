constant int table[3] = {10, 20, 30};
typedef struct pair { int x; float2 y; } pair;
float weighted(float of, pair by) {
  float sum = of;
  sum += table[1] - 8;
  return sum + by.y.x - by.x;
}
// Each work-item adds 12 to what the work-item at the other end of its group has stored.
kernel void reversed(global float *out) {
  local float shared[4];
  const uint position = get_global_id(0), scale = get_local_size(0) / 2;
  shared[get_local_id(0)] = position; pair mine = {position, (float2)(position, position + 1)};
  barrier(CLK_LOCAL_MEM_FENCE);
  out[position] = weighted(shared[3 - get_local_id(0)], mine);
}
