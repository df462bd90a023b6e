// The force on each atom by its neighbours within a cutoff. Neighbour k of atom i is at neighbours[k * count + i].
__kernel void forces(__global const float4 *atoms, __global const int *neighbours, __global float4 *forces, int maxNeighbours,
                     float cutoff, float a, float b, int count) {
  int i = get_global_id(0);
  if (i >= count)
    return;
  float4 self = atoms[i];
  float4 force = (float4)(0.0f);
  for (int k = 0; k < maxNeighbours; ++k) {
    float4 other = atoms[neighbours[k * count + i]];
    float dx = self.x - other.x, dy = self.y - other.y, dz = self.z - other.z;
    float square = dx * dx + dy * dy + dz * dz;
    if (square < cutoff) {
      float inverse = 1.0f / square;
      float sixth = inverse * inverse * inverse;
      float push = inverse * sixth * (a * sixth - b);
      force.x += dx * push;
      force.y += dy * push;
      force.z += dz * push;
    }
  }
  forces[i] = force;
}
