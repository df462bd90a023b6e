// A matrix transpose by tiles in local memory.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Dense.h"
#include "bench/suite/native/Threads.h"

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : width(size_t(state.range(0))), height(size_t(state.range(1))), from(wholeFloats(width * height, 1)) {}
  bool isSolvedBy(const std::vector<float> &to) const {
    for (size_t row = 0; row < height; ++row)
      for (size_t column = 0; column < width; ++column)
        if (to[column * height + row] != from[row * width + column])
          return false;
    return true;
  }

  const size_t width, height;
  const std::vector<float> from;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem from = bench.buffer(problem.from), to = bench.buffer(problem.from.size() * sizeof(float));
  cl_kernel kernel = bench.kernelOf("transpose", "transpose");
  arguments(kernel, from, to, cl_int(problem.width), cl_int(problem.height));
  auto run = [&] {
    bench.launch(kernel, {roundUp(problem.width, 16), roundUp(problem.height, 16)}, {16, 16});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<float>(to, problem.from.size())); });
  countBytes(state, 2 * problem.from.size() * sizeof(float));
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<float> to(problem.from.size());
  auto run = [&] {
    native::forRange(problem.height / 16, 1, [&](native::Range rowBlocks) {
      native::transpose(problem.from.data(), to.data(), problem.width, problem.height, rowBlocks);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(to); });
  countBytes(state, 2 * problem.from.size() * sizeof(float));
}

// No powers of two: the rows of a tile would then map to the same cache set.
const SuiteKernel registered("transpose", onDevice, onHost, {{1008, 1520}}, {{8208, 8208}});

} // namespace
} // namespace bench
