// The index of the nearest centre of each point. Points are stored feature by feature, centres one after the other.
__kernel void assign(__global const float *points, __global const float *centres, __global int *nearest, int count,
                     int centre_count, int features) {
  int i = get_global_id(0);
  if (i >= count)
    return;
  int best = 0;
  float least = FLT_MAX;
  for (int centre = 0; centre < centre_count; ++centre) {
    float distance = 0.0f;
    for (int f = 0; f < features; ++f) {
      float difference = points[f * count + i] - centres[centre * features + f];
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      best = centre;
    }
  }
  nearest[i] = best;
}
