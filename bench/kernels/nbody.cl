// The acceleration of each body due to all bodies. A work-group loads one tile of bodies at a time into local memory.
__kernel void accelerate(__global const float4 *bodies, __global float4 *accelerations, __local float4 *tile,
                         float softening) {
  size_t item = get_local_id(0), size = get_local_size(0);
  float4 self = bodies[get_global_id(0)];
  float4 sum = (float4)(0.0f);
  for (size_t start = 0; start < get_global_size(0); start += size) {
    tile[item] = bodies[start + item];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t k = 0; k < size; ++k) {
      float4 other = tile[k];
      float dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
      float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
      float pull = other.w * inverse * inverse * inverse;
      sum.x += dx * pull;
      sum.y += dy * pull;
      sum.z += dz * pull;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  accelerations[get_global_id(0)] = sum;
}
