// Option prices and Monte Carlo simulations.
#pragma once
#include "bench/suite/native/Range.h"
#include <stdint.h>

namespace bench::native {

struct Options {
  const float *spots, *strikes, *years;
};
void blackScholes(Options options, float *calls, float *puts, float rate, float volatility, Range range);

/// One step of the tree: the factor of a rise, the probability of a rise, and the discount factor.
struct Tree {
  float up, rising, discount;
};
/// American puts by binomial trees of fewer than 512 steps; `options.years` is not used.
void binomial(Options options, float *prices, Tree tree, int steps, Range range);

/// For each seed, the number of `throws` random points in the unit square that are inside the circle. The range begins
/// and ends at multiples of 64.
void insideCircle(const uint32_t *seeds, uint32_t *inside, int throws, Range range);

struct Share {
  float spot, strike, drift, deviation;
};
/// For each seed, the payoff of an Asian call. The range begins and ends at multiples of 64.
void asianCall(const uint32_t *seeds, float *payoffs, Share share, int steps, Range range);

} // namespace bench::native
