// Edit distances of pairs of strings: a table by anti-diagonals, with a barrier after each.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Groups.h"
#include "bench/suite/native/Threads.h"
#include <algorithm>

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : length(size_t(state.range(0))), pairs(size_t(state.range(1))), a(letters(length * pairs, 1)),
        b(letters(length * pairs, 2)) {}
  static std::vector<uint8_t> letters(size_t count, uint32_t seed) {
    std::vector<uint8_t> made = randomBytes(count, seed);
    for (uint8_t &one : made)
      one &= 3;
    return made;
  }
  bool isSolvedBy(const std::vector<int32_t> &distances) const {
    for (size_t pair = 0; pair < pairs; pair += std::max<size_t>(1, pairs / 16)) // a sample
      if (distances[pair] != distanceOf(&a[pair * length], &b[pair * length]))
        return false;
    return true;
  }
  int32_t distanceOf(const uint8_t *from, const uint8_t *to) const {
    std::vector<int32_t> above(length + 1), row(length + 1);
    for (size_t column = 0; column <= length; ++column)
      above[column] = int32_t(column);
    for (size_t i = 1; i <= length; ++i, std::swap(above, row)) {
      row[0] = int32_t(i);
      for (size_t j = 1; j <= length; ++j)
        row[j] = std::min(std::min(above[j], row[j - 1]) + 1, above[j - 1] + (from[i - 1] != to[j - 1]));
    }
    return above[length];
  }

  const size_t length, pairs;
  const std::vector<uint8_t> a, b;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem a = bench.buffer(problem.a), b = bench.buffer(problem.b);
  Mem distances = bench.buffer(problem.pairs * sizeof(int32_t));
  cl_kernel kernel = bench.kernelOf("edit_distance", "edit_distance");
  arguments(kernel, a, b, distances, Local{3 * problem.length * sizeof(int32_t)});
  auto run = [&] {
    bench.launch(kernel, {problem.pairs * problem.length}, {problem.length});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run,
                   [&] { return problem.isSolvedBy(bench.read<int32_t>(distances, problem.pairs)); });
  countItems(state, problem.pairs * problem.length * problem.length);
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<int32_t> distances(problem.pairs);
  auto run = [&] {
    native::forRange(problem.pairs, 4, [&](native::Range pairs) {
      native::editDistances(problem.a.data(), problem.b.data(), distances.data(), problem.length, pairs);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(distances); });
  countItems(state, problem.pairs * problem.length * problem.length);
}

const SuiteKernel registered("edit_distance", onDevice, onHost, {{256, 128}}, {{256, 32768}});

} // namespace
} // namespace bench
