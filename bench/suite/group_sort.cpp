// Sorts the keys of each work-group by a network in local memory: a barrier for each step.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Groups.h"
#include "bench/suite/native/Threads.h"
#include <algorithm>

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : group(size_t(state.range(0))), keys(randomWords(size_t(state.range(1)), 1)) {}
  bool isSolvedBy(const std::vector<uint32_t> &got) const {
    std::vector<uint32_t> sorted = keys;
    for (size_t first = 0; first < keys.size(); first += keysOfGroup())
      std::sort(&sorted[first], &sorted[first] + keysOfGroup());
    return got == sorted;
  }
  size_t keysOfGroup() const { return 2 * group; }

  const size_t group;
  const std::vector<uint32_t> keys;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  size_t count = problem.keys.size();
  Mem in = bench.buffer(problem.keys), out = bench.buffer(count * sizeof(uint32_t));
  cl_kernel kernel = bench.kernelOf("group_sort", "group_sort");
  arguments(kernel, in, out, Local{problem.keysOfGroup() * sizeof(uint32_t)});
  auto run = [&] {
    bench.launch(kernel, {count / 2}, {problem.group});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<uint32_t>(out, count)); });
  countItems(state, count);
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  size_t size = problem.keysOfGroup();
  std::vector<uint32_t> out(problem.keys.size());
  auto run = [&] {
    native::forRange(out.size() / size, (1 << 12) / size,
                     [&](native::Range groups) { native::sortGroups(problem.keys.data(), out.data(), size, groups); });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(out); });
  countItems(state, out.size());
}

const SuiteKernel registered("group_sort", onDevice, onHost, {{256, 1 << 20}}, {{256, 1 << 26}});

} // namespace
} // namespace bench
