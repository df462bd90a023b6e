// Prefix sums within work-groups: log2(size) iterations with one barrier each.
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
      sum = (i % group ? sum : 0) + in[i];
      if (out[i] != sum)
        return false;
    }
    return true;
  }

  const size_t group, count;
  const std::vector<uint32_t> in;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem in = bench.buffer(problem.in), out = bench.buffer(problem.count * sizeof(uint32_t));
  cl_kernel kernel = bench.kernelOf("scan", "scan");
  arguments(kernel, in, out, Local{2 * problem.group * sizeof(uint32_t)});
  auto run = [&] {
    bench.launch(kernel, {problem.count}, {problem.group});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<uint32_t>(out, problem.count)); });
  countItems(state, problem.count);
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<uint32_t> out(problem.count);
  auto run = [&] {
    native::forRange(problem.count / problem.group, (1 << 14) / problem.group,
                     [&](native::Range groups) { native::scan(problem.in.data(), out.data(), problem.group, groups); });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(out); });
  countItems(state, problem.count);
}

const SuiteKernel registered("scan", onDevice, onHost, {{64, 1 << 22}, {256, 1 << 22}},
                             {{64, 1 << 27}, {256, 1 << 27}});

} // namespace
} // namespace bench
