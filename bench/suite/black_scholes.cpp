// Prices European options: exp, log, sqrt, divisions and polynomials; work-items are independent.
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
      : count(size_t(state.range(0))), spots(randomFloats(count, 5, 30, 1)), strikes(randomFloats(count, 1, 100, 2)),
        years(randomFloats(count, 0.25f, 10, 3)) {}
  bool isSolvedBy(const std::vector<float> &calls, const std::vector<float> &puts) const {
    for (size_t i = 0; i < count; i += 7) { // a sample, because the host is slow at this
      CallAndPut expected = blackScholes(spots[i], strikes[i], years[i], Rate, Volatility);
      if (!(std::abs(calls[i] - expected.call) < 1e-4 && std::abs(puts[i] - expected.put) < 1e-4))
        return false;
    }
    return true;
  }

  static constexpr float Rate = 0.02f, Volatility = 0.3f;
  const size_t count;
  const std::vector<float> spots, strikes, years;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  size_t bytes = problem.count * sizeof(float);
  Mem spots = bench.buffer(problem.spots), strikes = bench.buffer(problem.strikes), years = bench.buffer(problem.years),
      calls = bench.buffer(bytes), puts = bench.buffer(bytes);
  cl_kernel kernel = bench.kernelOf("black_scholes", "price");
  arguments(kernel, spots, strikes, years, calls, puts, problem.Rate, problem.Volatility, cl_int(problem.count));
  auto run = [&] {
    bench.launch(kernel, {roundUp(problem.count, 128)}, {128});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] {
    return problem.isSolvedBy(bench.read<float>(calls, problem.count), bench.read<float>(puts, problem.count));
  });
  countItems(state, problem.count);
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<float> calls(problem.count), puts(problem.count);
  native::Options options{problem.spots.data(), problem.strikes.data(), problem.years.data()};
  auto run = [&] {
    native::forRange(problem.count, 4096, [&](native::Range range) {
      native::blackScholes(options, calls.data(), puts.data(), problem.Rate, problem.Volatility, range);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(calls, puts); });
  countItems(state, problem.count);
}

const SuiteKernel registered("black_scholes", onDevice, onHost, {{400000}}, {{40000000}});

} // namespace
} // namespace bench
