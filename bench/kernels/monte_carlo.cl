// One random path per work-item, each with a separate 32-bit xorshift generator.
uint next(uint *state) {
  uint x = *state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  *state = x;
  return x;
}

// The number of `throws` random points in the unit square that are inside the circle.
__kernel void inside_circle(__global const uint *seeds, __global uint *inside, int throws, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  uint state = seeds[i], hits = 0;
  for (int k = 0; k < throws; ++k) {
    float x = (float)(next(&state) >> 20) * (1.0f / 4096.0f);
    float y = (float)(next(&state) >> 20) * (1.0f / 4096.0f);
    if (x * x + y * y < 1.0f)
      ++hits;
  }
  inside[i] = hits;
}

// The payoff of an Asian call on one random path: the excess of the mean price over the strike.
__kernel void asian_call(__global const uint *seeds, __global float *payoffs, float spot, float strike, float drift,
                         float deviation, int steps, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  uint state = seeds[i];
  float price = spot, sum = 0.0f;
  for (int step = 0; step < steps; ++step) {
    // A normal deviate by Box-Muller; u is never 0.
    float u = (float)((next(&state) >> 8) + 1) * (1.0f / 16777216.0f);
    float v = (float)(next(&state) >> 8) * (1.0f / 16777216.0f);
    float deviate = sqrt(-2.0f * log(u)) * cos(6.2831853f * v);
    price *= exp(drift + deviation * deviate);
    sum += price;
  }
  payoffs[i] = fmax(sum / (float)steps - strike, 0.0f);
}
