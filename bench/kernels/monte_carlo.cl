// A way of chance a work-item, with a generator of its own: xorshift of 32 bits.
uint next(uint *state) {
  uint x = *state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  *state = x;
  return x;
}

// How many of `throws` points in the unit square are inside the circle.
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

// What an Asian call pays at the end of one way of its share: the mean price above the strike.
__kernel void asian_call(__global const uint *seeds, __global float *payoffs, float spot, float strike, float drift,
                         float deviation, int steps, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  uint state = seeds[i];
  float price = spot, sum = 0.0f;
  for (int step = 0; step < steps; ++step) {
    // A normal deviate of Box and Muller; never the logarithm of 0.
    float u = (float)((next(&state) >> 8) + 1) * (1.0f / 16777216.0f);
    float v = (float)(next(&state) >> 8) * (1.0f / 16777216.0f);
    float deviate = sqrt(-2.0f * log(u)) * cos(6.2831853f * v);
    price *= exp(drift + deviation * deviate);
    sum += price;
  }
  payoffs[i] = fmax(sum / (float)steps - strike, 0.0f);
}
