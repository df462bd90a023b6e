// Diffusion on a grid: a five-point stencil on tiles in local memory, with the points around a tile loaded by its
// edges.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Grids.h"
#include "bench/suite/native/Threads.h"
#include <algorithm>

namespace bench {
namespace {

/// An even number of steps, alternating between two grids.
struct Problem {
  explicit Problem(const benchmark::State &state)
      : width(size_t(state.range(0))), height(size_t(state.range(1))), start(wholeFloats(width * height, 1)) {}
  /// Few steps over whole numbers are exact, so every correct result is equal.
  bool isSolvedBy(const std::vector<float> &got) const {
    std::vector<float> from = start, to = start;
    for (int step = 0; step < Steps; ++step, from.swap(to))
      for (size_t y = 0; y < height; ++y)
        for (size_t x = 0; x < width; ++x) {
          const float *row = &from[y * width];
          float sum = row[x ? x - 1 : 0] + row[std::min(x + 1, width - 1)] + from[(y ? y - 1 : 0) * width + x] +
                      from[std::min(y + 1, height - 1) * width + x];
          to[y * width + x] = row[x] + Rate * (sum - 4 * row[x]);
        }
    return got == from;
  }
  size_t points() const { return Steps * width * height; }

  static constexpr int Steps = 4;
  static constexpr float Rate = 0.125f;
  const size_t width, height;
  const std::vector<float> start;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  size_t tile = 16;
  Mem a = bench.buffer(problem.start), b = bench.buffer(problem.start);
  cl_kernel kernel = bench.kernelOf("halo_stencil", "diffuse");
  auto run = [&] {
    for (int step = 0; step < problem.Steps; ++step) {
      arguments(kernel, step % 2 ? b : a, step % 2 ? a : b, cl_int(problem.width), cl_int(problem.height),
                cl_float(problem.Rate));
      bench.launch(kernel, {roundUp(problem.width, tile), roundUp(problem.height, tile)}, {tile, tile});
    }
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<float>(a, problem.start.size())); });
  countItems(state, problem.points());
  countRoofline(state, 7 * problem.points(), 2 * sizeof(float) * problem.points());
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<float> a = problem.start, b = a;
  auto run = [&] {
    for (int step = 0; step < problem.Steps; ++step) {
      const float *from = step % 2 ? b.data() : a.data();
      float *to = step % 2 ? a.data() : b.data();
      native::forRange(problem.height, 16, [&](native::Rows rows) {
        native::diffuse(from, to, problem.width, problem.height, problem.Rate, rows);
      });
    }
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(a); });
  countItems(state, problem.points());
}

const SuiteKernel registered("halo_stencil", onDevice, onHost, {{1200, 1000}}, {{12000, 10000}});

} // namespace
} // namespace bench
