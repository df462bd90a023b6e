// Matrix products: the naive kernel, one with tiles in local memory and two barriers per tile, and one with tiles whose
// work-items compute blocks in private arrays.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Dense.h"
#include "bench/suite/native/Threads.h"
#include <algorithm>

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : n(size_t(state.range(0))), a(wholeFloats(n * n, 1)), b(wholeFloats(n * n, 2)) {}
  bool isSolvedBy(const std::vector<float> &c) const {
    for (size_t row = 0; row < n; row += std::max<size_t>(1, n / 64)) // a sample, because the host is slow at this
      if (std::vector<float> expected = matrixRow(a, b, n, row);
          !std::equal(expected.begin(), expected.end(), &c[row * n]))
        return false;
    return true;
  }
  size_t operations() const { return 2 * n * n * n; }

  const size_t n;
  const std::vector<float> a, b;
};

using Sizes = std::initializer_list<size_t>;
void onDevice(Bench &bench, benchmark::State &state, const char *file, Sizes global, Sizes local) {
  Problem problem(state);
  size_t n = problem.n;
  Mem a = bench.buffer(problem.a), b = bench.buffer(problem.b), c = bench.buffer(n * n * sizeof(float));
  cl_kernel kernel = bench.kernelOf(file, "matmul");
  arguments(kernel, a, b, c, cl_int(n));
  auto run = [&] {
    bench.launch(kernel, global, local);
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<float>(c, n * n)); });
  countItems(state, problem.operations());
  countRoofline(state, problem.operations(), 3 * n * n * sizeof(float));
}
void naive(Bench &bench, benchmark::State &state) {
  size_t n = size_t(state.range(0));
  onDevice(bench, state, "matmul_naive", {n, n}, {16, 16});
}
void tiled(Bench &bench, benchmark::State &state) {
  size_t n = size_t(state.range(0));
  onDevice(bench, state, "matmul_tiled", {n, n}, {16, 16});
}
void staged(Bench &bench, benchmark::State &state) {
  size_t tiles = size_t(state.range(0)) / 64, group = 256;
  onDevice(bench, state, "matmul_staged", {tiles * group, tiles}, {group, 1});
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  size_t n = problem.n;
  std::vector<float> c(n * n);
  auto run = [&] {
    native::forRange(n / 4, 4, [&](native::Range rowBlocks) {
      native::matmul(problem.a.data(), problem.b.data(), c.data(), n, rowBlocks);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(c); });
  countItems(state, problem.operations());
}

const SuiteKernel registeredNaive("matmul_naive", naive, onHost, {{512}}, {{4096}});
const SuiteKernel registeredTiled("matmul_tiled", tiled, onHost, {{512}}, {{4096}});
const SuiteKernel registeredStaged("matmul_staged", staged, onHost, {{512}}, {{4096}});

} // namespace
} // namespace bench
