// Monte Carlo simulations: one random generator per work-item, with a comparison or with log, cos and exp per step.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Finance.h"
#include "bench/suite/native/Threads.h"
#include "bench/suite/reference/Finance.h"
#include <cmath>

namespace bench {
namespace {

constexpr native::Share Call{100, 101, 0.0002f, 0.02f};

struct Problem {
  explicit Problem(const benchmark::State &state)
      : count(size_t(state.range(0))), steps(int(state.range(1))), seeds(randomWords(count, 1)) {
    for (uint32_t &seed : seeds) // xorshift of 0 is always 0
      seed |= 1;
  }
  bool isCounted(const std::vector<uint32_t> &inside) const {
    for (size_t i = 0; i < count; i += 1 + count / 3000) // a sample, because the host is slow at this
      if (inside[i] != insideCircle(seeds[i], steps))
        return false;
    return true;
  }
  bool isPriced(const std::vector<float> &payoffs) const {
    for (size_t i = 0; i < count; i += 1 + count / 3000)
      if (!(std::abs(payoffs[i] - asianCall(seeds[i], Call.spot, Call.strike, Call.drift, Call.deviation, steps)) <
            0.01))
        return false;
    return true;
  }

  const size_t count;
  const int steps;
  std::vector<uint32_t> seeds;
};

void circleOnDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem seeds = bench.buffer(problem.seeds), inside = bench.buffer(problem.count * sizeof(uint32_t));
  cl_kernel kernel = bench.kernelOf("monte_carlo", "inside_circle");
  arguments(kernel, seeds, inside, problem.steps, cl_int(problem.count));
  auto run = [&] {
    bench.launch(kernel, {roundUp(problem.count, 64)}, {64});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isCounted(bench.read<uint32_t>(inside, problem.count)); });
  countItems(state, problem.count * size_t(problem.steps));
}

void circleOnHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<uint32_t> inside(problem.count);
  auto run = [&] {
    native::forRange(problem.count, 256, [&](native::Range range) {
      native::insideCircle(problem.seeds.data(), inside.data(), problem.steps, range);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isCounted(inside); });
  countItems(state, problem.count * size_t(problem.steps));
}

void callOnDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem seeds = bench.buffer(problem.seeds), payoffs = bench.buffer(problem.count * sizeof(float));
  cl_kernel kernel = bench.kernelOf("monte_carlo", "asian_call");
  arguments(kernel, seeds, payoffs, Call.spot, Call.strike, Call.drift, Call.deviation, problem.steps,
            cl_int(problem.count));
  auto run = [&] {
    bench.launch(kernel, {roundUp(problem.count, 64)}, {64});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isPriced(bench.read<float>(payoffs, problem.count)); });
  countItems(state, problem.count * size_t(problem.steps));
}

void callOnHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<float> payoffs(problem.count);
  auto run = [&] {
    native::forRange(problem.count, 256, [&](native::Range range) {
      native::asianCall(problem.seeds.data(), payoffs.data(), Call, problem.steps, range);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isPriced(payoffs); });
  countItems(state, problem.count * size_t(problem.steps));
}

// Arguments: paths, steps.
const SuiteKernel circle("monte_carlo/circle", circleOnDevice, circleOnHost, {{16384, 1000}}, {{1 << 20, 4000}});
const SuiteKernel call("monte_carlo/asian_call", callOnDevice, callOnHost, {{16384, 64}}, {{1 << 20, 256}});

} // namespace
} // namespace bench
