// Exclusive prefix sums within work-groups by a tree: half of the work-items that take part drop out at each barrier.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Groups.h"
#include "bench/suite/native/Threads.h"

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : group(size_t(state.range(0))), count(size_t(state.range(1))), in(randomWords(count, 1)) {}
  bool isSolvedBy(const std::vector<uint32_t> &out) const {
    uint32_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
      sum = i % elements() ? sum : 0;
      if (out[i] != sum)
        return false;
      sum += in[i];
    }
    return true;
  }
  /// Of one work-group.
  size_t elements() const { return 2 * group; }

  const size_t group, count;
  const std::vector<uint32_t> in;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem in = bench.buffer(problem.in), out = bench.buffer(problem.count * sizeof(uint32_t));
  cl_kernel kernel = bench.kernelOf("tree_scan", "tree_scan");
  arguments(kernel, in, out, Local{problem.elements() * sizeof(uint32_t)});
  auto run = [&] {
    bench.launch(kernel, {problem.count / 2}, {problem.group});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<uint32_t>(out, problem.count)); });
  countItems(state, problem.count);
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<uint32_t> out(problem.count);
  size_t elements = problem.elements();
  auto run = [&] {
    native::forRange(problem.count / elements, (1 << 14) / elements, [&](native::Range groups) {
      native::scanExclusive(problem.in.data(), out.data(), elements, groups);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(out); });
  countItems(state, problem.count);
}

const SuiteKernel registered("tree_scan", onDevice, onHost, {{64, 1 << 22}, {256, 1 << 22}},
                             {{64, 1 << 27}, {256, 1 << 27}});

} // namespace
} // namespace bench
