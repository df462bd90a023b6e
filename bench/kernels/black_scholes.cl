// Prices of European options. The normal distribution is the polynomial of Abramowitz and Stegun, 26.2.17.
float normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  float tail = 0.39894228f * exp(-0.5f * d * d) *
               (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0.0f ? 1.0f - tail : tail;
}

__kernel void price(__global const float *spots, __global const float *strikes, __global const float *years,
                    __global float *calls, __global float *puts, float rate, float volatility, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  float spot = spots[i], strike = strikes[i], time = years[i];
  float deviation = volatility * sqrt(time);
  float d1 = (log(spot / strike) + (rate + 0.5f * volatility * volatility) * time) / deviation;
  float d2 = d1 - deviation;
  float discounted = strike * exp(-rate * time);
  float n1 = normal(d1), n2 = normal(d2);
  calls[i] = spot * n1 - discounted * n2;
  puts[i] = discounted * (1.0f - n2) - spot * (1.0f - n1);
}
