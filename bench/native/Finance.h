// Prices of options, and chance.
#pragma once
#include "bench/native/Range.h"
#include <stdint.h>

namespace bench::native {

struct Options {
  const float *spots, *strikes, *years;
};
void blackScholes(Options options, float *calls, float *puts, float rate, float volatility, Range range);

/// How far the price moves in a step of the tree, how likely it rises, and what the step takes off a value.
struct Tree {
  float up, rising, discount;
};
/// American puts by trees of less than 512 steps; years have no part in it.
void binomial(Options options, float *prices, Tree tree, int steps, Range range);

/// How many of `throws` points in the unit square are inside the circle, for each seed. The range begins and ends at
/// multiples of 64.
void insideCircle(const uint32_t *seeds, uint32_t *inside, int throws, Range range);

struct Share {
  float spot, strike, drift, deviation;
};
/// What an Asian call pays, for each seed. The range as before.
void asianCall(const uint32_t *seeds, float *payoffs, Share share, int steps, Range range);

} // namespace bench::native
