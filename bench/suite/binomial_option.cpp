// American options, each priced by one work-group: backwards through a binomial tree, two barriers per step.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Finance.h"
#include "bench/suite/native/Threads.h"
#include "bench/suite/reference/Finance.h"
#include <cmath>

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : steps(int(state.range(0)) - 1), count(size_t(state.range(1))), spots(randomFloats(count, 5, 30, 1)),
        strikes(randomFloats(count, 5, 30, 2)) {
    double time = 1.0 / steps, rate = 0.06, volatility = 0.3;
    double up = std::exp(volatility * std::sqrt(time));
    double rising = (std::exp(rate * time) - 1 / up) / (up - 1 / up);
    tree = {float(up), float(rising), float(std::exp(-rate * time))};
  }
  bool isSolvedBy(const std::vector<float> &prices) const {
    for (size_t i = 0; i < count; i += 1 + count / 50) { // a sample, because the host is slow at this
      double expected = binomialPut(spots[i], strikes[i], tree.up, tree.rising, tree.discount, steps);
      if (!(std::abs(prices[i] - expected) < 2e-3))
        return false;
    }
    return true;
  }
  size_t nodes() const { return count * size_t(steps) * size_t(steps + 1) / 2; }

  const int steps;
  const size_t count;
  const std::vector<float> spots, strikes;
  native::Tree tree;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  size_t group = size_t(problem.steps) + 1;
  Mem spots = bench.buffer(problem.spots), strikes = bench.buffer(problem.strikes),
      prices = bench.buffer(problem.count * sizeof(float));
  cl_kernel kernel = bench.kernelOf("binomial_option", "american_put");
  arguments(kernel, spots, strikes, prices, problem.tree.up, problem.tree.rising, problem.tree.discount,
            Local{group * sizeof(float)});
  auto run = [&] {
    bench.launch(kernel, {problem.count * group}, {group});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<float>(prices, problem.count)); });
  countItems(state, problem.nodes());
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<float> prices(problem.count);
  native::Options options{problem.spots.data(), problem.strikes.data(), nullptr};
  auto run = [&] {
    native::forRange(problem.count, 8, [&](native::Range range) {
      native::binomial(options, prices.data(), problem.tree, problem.steps, range);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(prices); });
  countItems(state, problem.nodes());
}

// Arguments: the local size, which is steps + 1, and the number of options.
const SuiteKernel registered("binomial_option", onDevice, onHost, {{256, 400}}, {{256, 100000}});

} // namespace
} // namespace bench
