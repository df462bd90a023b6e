// Atomic additions: many in local memory, few in global memory.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Groups.h"
#include "bench/suite/native/Threads.h"

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : items(size_t(state.range(0))), count(size_t(state.range(1))), words(randomWords(count, 1)) {}
  bool isSolvedBy(const std::vector<uint32_t> &bins) const {
    std::vector<uint32_t> expected(256, 0);
    for (uint32_t word : words)
      for (int shift = 0; shift < 32; shift += 8)
        ++expected[word >> shift & 255];
    return bins == expected;
  }

  const size_t items, count;
  const std::vector<uint32_t> words;
};

// The bins are not cleared between runs; only the first run is verified.
void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem words = bench.buffer(problem.words), bins = bench.buffer(std::vector<uint32_t>(256, 0));
  cl_kernel kernel = bench.kernelOf("histogram", "histogram");
  arguments(kernel, words, bins, cl_uint(problem.count));
  auto run = [&] {
    bench.launch(kernel, {problem.items}, {128});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<uint32_t>(bins, 256)); });
  countBytes(state, problem.count * sizeof(uint32_t));
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<uint32_t> bins(256, 0);
  auto run = [&] {
    native::forRange(problem.count, 1 << 16,
                     [&](native::Range range) { native::histogram(problem.words.data(), bins.data(), range); });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bins); });
  countBytes(state, problem.count * sizeof(uint32_t));
}

const SuiteKernel registered("histogram", onDevice, onHost, {{8192, 1 << 20}}, {{1 << 18, 1 << 27}});

} // namespace
} // namespace bench
