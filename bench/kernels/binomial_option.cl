// An American put a work-group: its values at the leaves of a tree, then backwards step by step with barriers between.
// The group has one work-item more than the tree has steps.
__kernel void american_put(__global const float *spots, __global const float *strikes, __global float *prices,
                           float up, float rising, float discount, __local float *values) {
  int item = get_local_id(0), steps = get_local_size(0) - 1, option = get_group_id(0);
  float strike = strikes[option];
  float spot = spots[option] * pow(up, (float)(2 * item - steps));
  values[item] = fmax(0.0f, strike - spot);
  for (int step = steps - 1; step >= 0; --step) {
    spot *= up; // the one that falls to what it was
    barrier(CLK_LOCAL_MEM_FENCE);
    float kept = 0.0f;
    if (item <= step)
      kept = fmax(discount * (rising * values[item + 1] + (1.0f - rising) * values[item]), strike - spot);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item <= step)
      values[item] = kept;
  }
  if (item == 0)
    prices[option] = values[0];
}
