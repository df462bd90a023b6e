// Memory bandwidth of a float4 kernel that updates in place and checks a bound.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Streams.h"
#include "bench/suite/native/Threads.h"

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : count(size_t(state.range(0))), x(wholeFloats(count, 1)), y(wholeFloats(count, 2)) {}
  bool isSolvedBy(const std::vector<float> &got) const {
    for (size_t i = 0; i < count; ++i)
      if (got[i] != y[i] + a * x[i])
        return false;
    return true;
  }
  size_t bytes() const { return 3 * sizeof(float) * count; }

  static constexpr float a = 3.0f;
  const size_t count;
  const std::vector<float> x, y;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem x = bench.buffer(problem.x), y = bench.buffer(problem.y);
  size_t vectors = problem.count / 4;
  cl_kernel kernel = bench.kernelOf("saxpy", "saxpy");
  arguments(kernel, problem.a, x, y, cl_int(vectors));
  auto run = [&] {
    bench.launch(kernel, {roundUp(vectors, 128)}, {128});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<float>(y, problem.count)); });
  countBytes(state, problem.bytes());
  countRoofline(state, 2 * problem.count, problem.bytes());
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<float> y = problem.y;
  auto run = [&] {
    native::forRange(problem.count, 1 << 14,
                     [&](native::Range range) { native::saxpy(problem.a, problem.x.data(), y.data(), range); });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(y); });
  countBytes(state, problem.bytes());
}

const SuiteKernel registered("saxpy", onDevice, onHost, {{4000000}}, {{1 << 28}});

} // namespace
} // namespace bench
