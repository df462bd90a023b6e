// A matrix-vector product; each work-item reads one row.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Dense.h"
#include "bench/suite/native/Threads.h"

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : rows(size_t(state.range(0))), columns(size_t(state.range(1))), a(wholeFloats(rows * columns, 1)),
        x(wholeFloats(columns, 2)) {}
  bool isSolvedBy(const std::vector<float> &y) const {
    for (size_t row = 0; row < rows; ++row) {
      float sum = 0;
      for (size_t k = 0; k < columns; ++k)
        sum += a[row * columns + k] * x[k];
      if (y[row] != sum)
        return false;
    }
    return true;
  }
  size_t bytes() const { return a.size() * sizeof(float); }

  const size_t rows, columns;
  const std::vector<float> a, x;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem a = bench.buffer(problem.a), x = bench.buffer(problem.x), y = bench.buffer(problem.rows * sizeof(float));
  cl_kernel kernel = bench.kernelOf("matvec", "matvec");
  arguments(kernel, a, x, y, cl_int(problem.rows), cl_int(problem.columns));
  auto run = [&] {
    bench.launch(kernel, {roundUp(problem.rows, 64)}, {64});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<float>(y, problem.rows)); });
  countBytes(state, problem.bytes());
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<float> y(problem.rows);
  auto run = [&] {
    native::forRange(problem.rows, 16, [&](native::Rows rows) {
      native::matvec(problem.a.data(), problem.x.data(), y.data(), problem.columns, rows);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(y); });
  countBytes(state, problem.bytes());
}

const SuiteKernel registered("matvec", onDevice, onHost, {{4000, 1000}}, {{32768, 8192}});

} // namespace
} // namespace bench
