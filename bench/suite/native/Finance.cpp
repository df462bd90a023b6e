// Compiled with -march=native; includes no C++ library header, see Images.cpp.
#include "bench/suite/native/Finance.h"
#include <math.h>

namespace bench::native {
namespace {

constexpr size_t BlockSize = 64; // random paths that advance together, step by step

float normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float tail = 0.39894228f * expf(-0.5f * d * d) *
               (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0.0f ? 1.0f - tail : tail;
}

uint32_t next(uint32_t &state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}
} // namespace

void blackScholes(Options options, float *calls, float *puts, float rate, float volatility, Range range) {
#pragma omp simd
  for (size_t i = range.first; i < range.end; ++i) {
    float spot = options.spots[i], strike = options.strikes[i], time = options.years[i];
    float deviation = volatility * sqrtf(time);
    float d1 = (logf(spot / strike) + (rate + 0.5f * volatility * volatility) * time) / deviation;
    float d2 = d1 - deviation;
    float discounted = strike * expf(-rate * time);
    float n1 = normal(d1), n2 = normal(d2);
    calls[i] = spot * n1 - discounted * n2;
    puts[i] = discounted * (1.0f - n2) - spot * (1.0f - n1);
  }
}

void binomial(Options options, float *prices, Tree tree, int steps, Range range) {
  float values[512], spots[512];
  for (size_t option = range.first; option < range.end; ++option) {
    float strike = options.strikes[option], spot = options.spots[option];
    for (int i = 0; i <= steps; ++i) {
      spots[i] = spot * powf(tree.up, float(2 * i - steps));
      values[i] = fmaxf(0.0f, strike - spots[i]);
    }
    for (int step = steps - 1; step >= 0; --step)
#pragma omp simd
      for (int i = 0; i <= step; ++i) {
        spots[i] *= tree.up;
        float kept = tree.discount * (tree.rising * values[i + 1] + (1.0f - tree.rising) * values[i]);
        float now = strike - spots[i];
        values[i] = kept > now ? kept : now;
      }
    prices[option] = values[0];
  }
}

void insideCircle(const uint32_t *seeds, uint32_t *inside, int throws, Range range) {
  for (size_t first = range.first; first < range.end; first += BlockSize) {
    uint32_t states[BlockSize], hits[BlockSize] = {};
    for (size_t i = 0; i < BlockSize; ++i)
      states[i] = seeds[first + i];
    for (int k = 0; k < throws; ++k)
#pragma omp simd
      for (size_t i = 0; i < BlockSize; ++i) {
        float x = float(int32_t(next(states[i]) >> 20)) * (1.0f / 4096.0f);
        float y = float(int32_t(next(states[i]) >> 20)) * (1.0f / 4096.0f);
        hits[i] += x * x + y * y < 1.0f;
      }
    for (size_t i = 0; i < BlockSize; ++i)
      inside[first + i] = hits[i];
  }
}

void asianCall(const uint32_t *seeds, float *payoffs, Share share, int steps, Range range) {
  for (size_t first = range.first; first < range.end; first += BlockSize) {
    uint32_t states[BlockSize];
    float prices[BlockSize], sums[BlockSize] = {};
    for (size_t i = 0; i < BlockSize; ++i) {
      states[i] = seeds[first + i];
      prices[i] = share.spot;
    }
    for (int step = 0; step < steps; ++step)
#pragma omp simd
      for (size_t i = 0; i < BlockSize; ++i) {
        float u = float(int32_t((next(states[i]) >> 8) + 1)) * (1.0f / 16777216.0f);
        float v = float(int32_t(next(states[i]) >> 8)) * (1.0f / 16777216.0f);
        float deviate = sqrtf(-2.0f * logf(u)) * cosf(6.2831853f * v);
        prices[i] *= expf(share.drift + share.deviation * deviate);
        sums[i] += prices[i];
      }
    for (size_t i = 0; i < BlockSize; ++i)
      payoffs[first + i] = fmaxf(sums[i] / float(steps) - share.strike, 0.0f);
  }
}

} // namespace bench::native
