#include "bench/suite/reference/Finance.h"
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace bench {

CallAndPut blackScholes(double spot, double strike, double years, double rate, double volatility) {
  auto normal = [](double d) { return 0.5 * std::erfc(-d / std::numbers::sqrt2); };
  double deviation = volatility * std::sqrt(years);
  double d1 = (std::log(spot / strike) + (rate + volatility * volatility / 2) * years) / deviation;
  double d2 = d1 - deviation, discounted = strike * std::exp(-rate * years);
  return {spot * normal(d1) - discounted * normal(d2), discounted * normal(-d2) - spot * normal(-d1)};
}

double binomialPut(double spot, double strike, double up, double rising, double discount, int steps) {
  std::vector<double> values;
  for (int i = 0; i <= steps; ++i)
    values.push_back(std::max(0.0, strike - spot * std::pow(up, 2 * i - steps)));
  for (int step = steps - 1; step >= 0; --step)
    for (int i = 0; i <= step; ++i) {
      double kept = discount * (rising * values[size_t(i) + 1] + (1 - rising) * values[size_t(i)]);
      values[size_t(i)] = std::max(kept, strike - spot * std::pow(up, 2 * i - step));
    }
  return values[0];
}

uint32_t xorshift(uint32_t &state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

uint32_t insideCircle(uint32_t seed, int throws) {
  uint32_t hits = 0;
  for (int k = 0; k < throws; ++k) {
    uint64_t x = xorshift(seed) >> 20, y = xorshift(seed) >> 20;
    hits += x * x + y * y < 4096 * 4096;
  }
  return hits;
}

double asianCall(uint32_t seed, double spot, double strike, double drift, double deviation, int steps) {
  double sum = 0;
  for (int step = 0; step < steps; ++step) {
    double u = double((xorshift(seed) >> 8) + 1) / 16777216, v = double(xorshift(seed) >> 8) / 16777216;
    double deviate = std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
    spot *= std::exp(drift + deviation * deviate);
    sum += spot;
  }
  return std::max(sum / steps - strike, 0.0);
}

} // namespace bench
