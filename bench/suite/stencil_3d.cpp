// A 7-point stencil on a cube; two of the six neighbours are a plane away.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Grids.h"
#include "bench/suite/native/Threads.h"

namespace bench {
namespace {

/// An even number of sweeps, alternating between two cubes.
struct Problem {
  explicit Problem(const benchmark::State &state)
      : side(size_t(state.range(0))), start(wholeFloats(side * side * side, 1)) {}
  /// Few sweeps over whole numbers are exact, so every correct result is equal.
  bool isSolvedBy(const std::vector<float> &got) const {
    std::vector<float> from = start, to = start;
    size_t plane = side * side;
    for (int sweep = 0; sweep < Sweeps; ++sweep, from.swap(to))
      for (size_t z = 1; z < side - 1; ++z)
        for (size_t y = 1; y < side - 1; ++y)
          for (size_t x = 1; x < side - 1; ++x) {
            size_t at = z * plane + y * side + x;
            to[at] = Near * from[at] + Far * (from[at - 1] + from[at + 1] + from[at - side] + from[at + side] +
                                              from[at - plane] + from[at + plane]);
          }
    return got == from;
  }
  size_t points() const { return Sweeps * start.size(); }

  static constexpr int Sweeps = 2;
  static constexpr float Near = 0.25f, Far = 0.125f;
  const size_t side;
  const std::vector<float> start;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem a = bench.buffer(problem.start), b = bench.buffer(problem.start);
  cl_kernel kernel = bench.kernelOf("stencil_3d", "stencil");
  auto run = [&] {
    for (int sweep = 0; sweep < problem.Sweeps; ++sweep) {
      arguments(kernel, sweep % 2 ? b : a, sweep % 2 ? a : b, cl_int(problem.side), problem.Near, problem.Far);
      size_t x = roundUp(problem.side, 32), yz = roundUp(problem.side, 2);
      bench.launch(kernel, {x, yz, yz}, {32, 2, 2});
    }
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<float>(a, problem.start.size())); });
  countItems(state, problem.points());
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<float> a = problem.start, b = a;
  auto run = [&] {
    for (int sweep = 0; sweep < problem.Sweeps; ++sweep) {
      const float *from = sweep % 2 ? b.data() : a.data();
      float *to = sweep % 2 ? a.data() : b.data();
      native::forRange(problem.side - 2, 2, [&](native::Range planes) {
        native::stencil3d(from, to, problem.side, problem.Near, problem.Far, {planes.first + 1, planes.end + 1});
      });
    }
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(a); });
  countItems(state, problem.points());
}

const SuiteKernel registered("stencil_3d", onDevice, onHost, {{150}}, {{600}});

} // namespace
} // namespace bench
