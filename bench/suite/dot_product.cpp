// A dot product: sums of products by trees in local memory, one for each work-group.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Groups.h"
#include "bench/suite/native/Threads.h"
#include <algorithm>

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : group(size_t(state.range(0))), count(size_t(state.range(1))), x(wholeFloats(count, 1)),
        y(wholeFloats(count, 2)) {}
  bool isSolvedBy(const std::vector<float> &sums) const {
    for (size_t i = 0; i < sums.size(); ++i) {
      float sum = 0;
      for (size_t k = i * group; k < std::min(count, (i + 1) * group); ++k)
        sum += x[k] * y[k];
      if (sums[i] != sum)
        return false;
    }
    return true;
  }
  size_t items() const { return roundUp(count, group); }
  size_t groups() const { return items() / group; }

  const size_t group, count;
  const std::vector<float> x, y;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem x = bench.buffer(problem.x), y = bench.buffer(problem.y);
  Mem sums = bench.buffer(problem.groups() * sizeof(float));
  cl_kernel kernel = bench.kernelOf("dot_product", "dot_product");
  arguments(kernel, x, y, sums, Local{problem.group * sizeof(float)}, cl_int(problem.count));
  auto run = [&] {
    bench.launch(kernel, {problem.items()}, {problem.group});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<float>(sums, problem.groups())); });
  countBytes(state, 2 * problem.count * sizeof(float));
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<float> sums(problem.groups());
  auto run = [&] {
    native::forRange(sums.size(), (1 << 14) / problem.group, [&](native::Range groups) {
      native::dotProducts(problem.x.data(), problem.y.data(), sums.data(), problem.group, problem.count, groups);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(sums); });
  countBytes(state, 2 * problem.count * sizeof(float));
}

const SuiteKernel registered("dot_product", onDevice, onHost, {{64, 4000100}, {256, 4000100}},
                             {{64, 1 << 27}, {256, 1 << 27}});

} // namespace
} // namespace bench
