// Prices of options in double precision.
#pragma once
#include <cstddef>
#include <cstdint>

namespace bench {

struct CallAndPut {
  double call, put;
};
/// By the error function of the C++ library, not by a polynomial.
CallAndPut blackScholes(double spot, double strike, double years, double rate, double volatility);

/// An American put by a tree of `steps`; the arguments as native/Finance.h has them.
double binomialPut(double spot, double strike, double up, double rising, double discount, int steps);

/// The generator of the Monte Carlo kernels.
uint32_t xorshift(uint32_t &state);
uint32_t insideCircle(uint32_t seed, int throws);
double asianCall(uint32_t seed, double spot, double strike, double drift, double deviation, int steps);

} // namespace bench
