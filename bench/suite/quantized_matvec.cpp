// A matrix-vector product with rows of bytes and scales; each work-item reads one row.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Dense.h"
#include "bench/suite/native/Threads.h"

namespace bench {
namespace {

struct Problem {
  static constexpr size_t BlockSize = native::QuantizedBlock;
  explicit Problem(const benchmark::State &state)
      : rows(size_t(state.range(0))), columns(size_t(state.range(1))), x(wholeFloats(columns, 2)),
        scales(wholeFloats(rows * columns / BlockSize, 3)) {
    for (uint8_t byte : randomBytes(rows * columns, 1))
      a.push_back(int8_t(byte));
  }
  // All numbers are whole and small enough for exact sums.
  bool isSolvedBy(const std::vector<float> &y) const {
    for (size_t row = 0; row < rows; ++row) {
      float sum = 0;
      for (size_t k = 0; k < columns; ++k)
        sum += scales[(row * columns + k) / BlockSize] * float(a[row * columns + k]) * x[k];
      if (y[row] != sum)
        return false;
    }
    return true;
  }

  const size_t rows, columns;
  const std::vector<float> x, scales;
  std::vector<int8_t> a;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem a = bench.buffer(problem.a), scales = bench.buffer(problem.scales), x = bench.buffer(problem.x);
  Mem y = bench.buffer(problem.rows * sizeof(float));
  cl_kernel kernel = bench.kernelOf("quantized_matvec", "quantized_matvec");
  arguments(kernel, a, scales, x, y, cl_int(problem.rows), cl_int(problem.columns));
  auto run = [&] {
    bench.launch(kernel, {roundUp(problem.rows, 64)}, {64});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<float>(y, problem.rows)); });
  countBytes(state, problem.a.size());
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<float> y(problem.rows);
  auto run = [&] {
    native::forRange(problem.rows, 16, [&](native::Rows rows) {
      native::quantizedMatvec(problem.a.data(), problem.scales.data(), problem.x.data(), y.data(), problem.columns,
                              rows);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(y); });
  countBytes(state, problem.a.size());
}

const SuiteKernel registered("quantized_matvec", onDevice, onHost, {{8000, 1024}}, {{65536, 8192}});

} // namespace
} // namespace bench
