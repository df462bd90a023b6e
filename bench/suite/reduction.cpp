// Sums by trees in local memory, with a barrier every few instructions.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Groups.h"
#include "bench/suite/native/Threads.h"

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : group(size_t(state.range(0))), count(size_t(state.range(1))), in(wholeFloats(count, 1)) {}
  bool isSolvedBy(const std::vector<float> &sums) const {
    for (size_t i = 0; i < sums.size(); ++i) {
      float sum = 0;
      for (size_t k = 0; k < group; ++k)
        sum += in[i * group + k];
      if (sums[i] != sum)
        return false;
    }
    return true;
  }

  const size_t group, count;
  const std::vector<float> in;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  size_t groups = problem.count / problem.group;
  Mem in = bench.buffer(problem.in), sums = bench.buffer(groups * sizeof(float));
  cl_kernel kernel = bench.kernelOf("reduction", "reduce");
  arguments(kernel, in, sums, Local{problem.group * sizeof(float)});
  auto run = [&] {
    bench.launch(kernel, {problem.count}, {problem.group});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<float>(sums, groups)); });
  countBytes(state, problem.count * sizeof(float));
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<float> sums(problem.count / problem.group);
  auto run = [&] {
    native::forRange(sums.size(), (1 << 14) / problem.group, [&](native::Range groups) {
      native::reduce(problem.in.data(), sums.data(), problem.group, groups);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(sums); });
  countBytes(state, problem.count * sizeof(float));
}

const SuiteKernel registered("reduction", onDevice, onHost, {{64, 1 << 22}, {256, 1 << 22}},
                             {{64, 1 << 27}, {256, 1 << 27}});

} // namespace
} // namespace bench
