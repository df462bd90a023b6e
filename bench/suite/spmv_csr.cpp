// A sparse matrix-vector product, one row per work-item, with scattered operands.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Sparse.h"
#include "bench/suite/native/Threads.h"
#include "bench/suite/reference/Sparse.h"

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : rows(size_t(state.range(0))), a(sparseMatrix(rows)), x(wholeFloats(rows, 4)) {}

  const size_t rows;
  const SparseMatrix a;
  const std::vector<float> x;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem values = bench.buffer(problem.a.values), columns = bench.buffer(problem.a.columns),
      starts = bench.buffer(problem.a.starts), x = bench.buffer(problem.x),
      y = bench.buffer(problem.rows * sizeof(float));
  cl_kernel kernel = bench.kernelOf("spmv_csr", "spmv");
  arguments(kernel, values, columns, starts, x, y, cl_int(problem.rows));
  auto run = [&] {
    bench.launch(kernel, {roundUp(problem.rows, 128)}, {128});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run,
                   [&] { return bench.read<float>(y, problem.rows) == product(problem.a, problem.x); });
  countItems(state, problem.a.values.size());
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<float> y(problem.rows);
  auto run = [&] {
    native::forRange(problem.rows, 1024, [&](native::Rows rows) {
      native::spmv(problem.a.values.data(), problem.a.columns.data(), problem.a.starts.data(), problem.x.data(),
                   y.data(), rows);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return y == product(problem.a, problem.x); });
  countItems(state, problem.a.values.size());
}

const SuiteKernel registered("spmv_csr", onDevice, onHost, {{100000}}, {{4000000}});

} // namespace
} // namespace bench
