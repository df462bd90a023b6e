// Counts the occurrences of a pattern in a text; most positions fail at the first byte.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Streams.h"
#include "bench/suite/native/Threads.h"
#include <algorithm>
#include <atomic>

namespace bench {
namespace {

/// A random text of four letters, with some copies of the pattern.
struct Problem {
  explicit Problem(const benchmark::State &state) : text(randomBytes(size_t(state.range(0)), 1)) {
    for (uint8_t &letter : text)
      letter = uint8_t("acgt"[letter & 3]);
    for (size_t i = 1000; i + pattern.size() < text.size(); i += 9973)
      std::copy(pattern.begin(), pattern.end(), &text[i]);
  }
  size_t positions() const { return text.size() - pattern.size() + 1; }
  bool isSolvedBy(uint32_t found) const {
    uint32_t expected = 0;
    for (auto at = text.begin();; ++expected, ++at)
      if (at = std::search(at, text.end(), pattern.begin(), pattern.end()); at == text.end())
        break;
    return found == expected;
  }

  const std::vector<uint8_t> pattern = {'g', 'a', 't', 't', 'a', 'c', 'a', 'g'};
  std::vector<uint8_t> text;
};

// The count is not cleared between runs; only the first run is verified.
void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem text = bench.buffer(problem.text), pattern = bench.buffer(problem.pattern),
      found = bench.buffer(std::vector<uint32_t>(1, 0));
  cl_kernel kernel = bench.kernelOf("string_search", "count_pattern");
  arguments(kernel, text, cl_uint(problem.positions()), pattern, cl_uint(problem.pattern.size()), found);
  auto run = [&] {
    bench.launch(kernel, {roundUp(problem.positions(), 256)}, {256});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<uint32_t>(found, 1)[0]); });
  countBytes(state, problem.text.size());
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::atomic<uint32_t> found = 0;
  auto run = [&] {
    native::forRange(problem.positions(), 1 << 16, [&](native::Range range) {
      found += native::countPattern(problem.text.data(), problem.pattern.data(), problem.pattern.size(), range);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(found); });
  countBytes(state, problem.text.size());
}

const SuiteKernel registered("string_search", onDevice, onHost, {{4000000}}, {{1 << 28}});

} // namespace
} // namespace bench
