// Jacobi relaxation of a grid: each point becomes the mean of its four neighbours.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Grids.h"
#include "bench/suite/native/Threads.h"

namespace bench {
namespace {

/// An even number of sweeps, alternating between two grids.
struct Problem {
  explicit Problem(const benchmark::State &state)
      : width(size_t(state.range(0))), height(size_t(state.range(1))), start(wholeFloats(width * height, 1)) {}
  /// Few sweeps over whole numbers are exact, so every correct result is equal.
  bool isSolvedBy(const std::vector<float> &got) const {
    std::vector<float> from = start, to = start;
    for (int sweep = 0; sweep < Sweeps; ++sweep, from.swap(to))
      for (size_t y = 1; y < height - 1; ++y)
        for (size_t x = 1; x < width - 1; ++x) {
          size_t at = y * width + x;
          to[at] = 0.25f * (from[at - 1] + from[at + 1] + from[at - width] + from[at + width]);
        }
    return got == from;
  }
  size_t points() const { return Sweeps * width * height; }

  static constexpr int Sweeps = 4;
  const size_t width, height;
  const std::vector<float> start;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem a = bench.buffer(problem.start), b = bench.buffer(problem.start);
  cl_kernel kernel = bench.kernelOf("jacobi_2d", "jacobi");
  auto run = [&] {
    for (int sweep = 0; sweep < problem.Sweeps; ++sweep) {
      arguments(kernel, sweep % 2 ? b : a, sweep % 2 ? a : b, cl_int(problem.width), cl_int(problem.height));
      bench.launch(kernel, {roundUp(problem.width, 32), roundUp(problem.height, 4)}, {32, 4});
    }
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<float>(a, problem.start.size())); });
  countItems(state, problem.points());
  countRoofline(state, 4 * problem.points(), 2 * sizeof(float) * problem.points());
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<float> a = problem.start, b = a;
  auto run = [&] {
    for (int sweep = 0; sweep < problem.Sweeps; ++sweep) {
      const float *from = sweep % 2 ? b.data() : a.data();
      float *to = sweep % 2 ? a.data() : b.data();
      native::forRange(problem.height - 2, 16, [&](native::Rows rows) {
        native::jacobi(from, to, problem.width, {rows.first + 1, rows.end + 1});
      });
    }
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(a); });
  countItems(state, problem.points());
}

const SuiteKernel registered("jacobi_2d", onDevice, onHost, {{1200, 1000}}, {{12000, 10000}});

} // namespace
} // namespace bench
