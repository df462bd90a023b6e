// Option prices in double precision.
#pragma once
#include <cstddef>
#include <cstdint>

namespace bench {

struct CallAndPut {
  double call, put;
};
/// Uses the C++ library's error function; the kernel uses a polynomial.
CallAndPut blackScholes(double spot, double strike, double years, double rate, double volatility);

/// An American put by a binomial tree of `steps`; for the arguments see native/Finance.h.
double binomialPut(double spot, double strike, double up, double rising, double discount, int steps);

/// The generator of the Monte Carlo kernels.
uint32_t xorshift(uint32_t &state);
uint32_t insideCircle(uint32_t seed, int throws);
double asianCall(uint32_t seed, double spot, double strike, double drift, double deviation, int steps);

} // namespace bench
