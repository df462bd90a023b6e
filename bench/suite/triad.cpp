// Memory bandwidth of a simple kernel: the smaller size fits in the cache, the larger one does not.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Streams.h"
#include "bench/suite/native/Threads.h"

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : count(size_t(state.range(0))), b(wholeFloats(count, 1)), c(wholeFloats(count, 2)) {}
  bool isSolvedBy(const std::vector<float> &a) const {
    for (size_t i = 0; i < count; ++i)
      if (a[i] != b[i] + scale * c[i])
        return false;
    return true;
  }
  size_t bytes() const { return 3 * sizeof(float) * count; }

  static constexpr float scale = 3.0f;
  const size_t count;
  const std::vector<float> b, c;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem a = bench.buffer(problem.count * sizeof(float)), b = bench.buffer(problem.b), c = bench.buffer(problem.c);
  cl_kernel kernel = bench.kernelOf("triad", "triad");
  arguments(kernel, a, b, c, problem.scale);
  auto run = [&] {
    bench.launch(kernel, {problem.count});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<float>(a, problem.count)); });
  countBytes(state, problem.bytes());
  countRoofline(state, 2 * problem.count, problem.bytes());
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<float> a(problem.count);
  auto run = [&] {
    native::forRange(problem.count, 1 << 14, [&](native::Range range) {
      native::triad(a.data(), problem.b.data(), problem.c.data(), problem.scale, range);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(a); });
  countBytes(state, problem.bytes());
}

const SuiteKernel registered("triad", onDevice, onHost, {{1 << 16}, {1 << 24}}, {{1 << 28}});

} // namespace
} // namespace bench
