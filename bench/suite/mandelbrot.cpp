// A loop that adjacent work-items leave at different iterations.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Pixels.h"
#include "bench/suite/native/Threads.h"

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : side(size_t(state.range(0))), plane{-2.0f, -1.25f, 2.5f / float(side)} {}
  bool isSolvedBy(const std::vector<int32_t> &got) const {
    std::vector<int32_t> expected = bench::mandelbrot(side, side, plane, limit);
    // A device may fuse multiplication and addition, which changes the result of points near the edge.
    size_t different = 0;
    for (size_t i = 0; i < got.size(); ++i)
      different += got[i] != expected[i];
    return different <= got.size() / 50;
  }

  static constexpr int32_t limit = 256;
  const size_t side;
  const Plane plane;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  size_t side = problem.side;
  Mem counts = bench.buffer(side * side * sizeof(int32_t));
  cl_kernel kernel = bench.kernelOf("mandelbrot", "mandelbrot");
  arguments(kernel, counts, problem.plane.left, problem.plane.top, problem.plane.step, problem.limit);
  auto run = [&] {
    bench.launch(kernel, {side, side});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<int32_t>(counts, side * side)); });
  countItems(state, side * side);
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  size_t side = problem.side;
  std::vector<int32_t> counts(side * side);
  auto run = [&] {
    native::forRange(side, 4, [&](native::Rows rows) {
      native::mandelbrot(counts.data(), side, problem.plane, problem.limit, rows);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(counts); });
  countItems(state, side * side);
}

const SuiteKernel registered("mandelbrot", onDevice, onHost, {{512}}, {{4096}});

} // namespace
} // namespace bench
