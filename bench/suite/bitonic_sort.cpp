// Sorts keys by a bitonic network, one launch per step.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Groups.h"
#include "bench/suite/native/Threads.h"
#include <algorithm>

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state) : keys(randomWords(size_t(state.range(0)), 1)) {}
  bool isSolvedBy(const std::vector<uint32_t> &got) const {
    std::vector<uint32_t> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    return got == sorted;
  }
  /// Calls step(distance, run) for all steps of the network.
  template <typename Step> void forSteps(const Step &step) const {
    for (size_t run = 2; run <= keys.size(); run *= 2)
      for (size_t distance = run / 2; distance; distance /= 2)
        step(uint32_t(distance), uint32_t(run));
  }

  const std::vector<uint32_t> keys;
};

// Each run starts from the unsorted keys.
void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  size_t count = problem.keys.size();
  Mem from = bench.buffer(problem.keys), keys = bench.buffer(count * sizeof(uint32_t));
  cl_kernel kernel = bench.kernelOf("bitonic_sort", "bitonic_step");
  auto run = [&] {
    check(clEnqueueCopyBuffer(bench.queue, from, keys, 0, 0, count * sizeof(uint32_t), 0, nullptr, nullptr),
          "clEnqueueCopyBuffer");
    problem.forSteps([&](uint32_t distance, uint32_t run) {
      arguments(kernel, keys, cl_uint(count / 2), distance, run);
      bench.launch(kernel, {count / 2}, {256});
    });
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<uint32_t>(keys, count)); });
  countItems(state, count);
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<uint32_t> keys(problem.keys.size());
  auto run = [&] {
    std::copy(problem.keys.begin(), problem.keys.end(), keys.begin());
    problem.forSteps([&](uint32_t distance, uint32_t run) {
      native::forRange(keys.size() / 2, 1 << 14,
                       [&](native::Range pairs) { native::bitonicStep(keys.data(), distance, run, pairs); });
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(keys); });
  countItems(state, keys.size());
}

const SuiteKernel registered("bitonic_sort", onDevice, onHost, {{1 << 17}}, {{1 << 24}});

} // namespace
} // namespace bench
