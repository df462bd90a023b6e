// One American put per work-group: values at the leaves of a binomial tree, then backwards with barriers between steps.
// The local size is the number of steps + 1.
__kernel void american_put(__global const float *spots, __global const float *strikes, __global float *prices,
                           float up, float rising, float discount, __local float *values) {
  int item = get_local_id(0), steps = get_local_size(0) - 1, option = get_group_id(0);
  float strike = strikes[option];
  float spot = spots[option] * pow(up, (float)(2 * item - steps));
  values[item] = fmax(0.0f, strike - spot);
  for (int step = steps - 1; step >= 0; --step) {
    spot *= up; // the spot price of the parent, from which this one fell
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
