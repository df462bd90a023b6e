// The assignment step of k-means, with loops whose bounds are arguments.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Grids.h"
#include "bench/suite/native/Threads.h"
#include <algorithm>

namespace bench {
namespace {

/// Whole numbers, so that distances are exact. Of equally near centres, the first is the result.
struct Problem {
  explicit Problem(const benchmark::State &state)
      : count(size_t(state.range(0))), centreCount(size_t(state.range(1))), features(size_t(state.range(2))),
        points(wholeFloats(count * features, 1)), centres(wholeFloats(centreCount * features, 2)) {}
  bool isSolvedBy(const std::vector<int32_t> &nearest) const {
    for (size_t i = 0; i < count; ++i) {
      std::vector<float> distances(centreCount, 0.0f);
      for (size_t centre = 0; centre < centreCount; ++centre)
        for (size_t f = 0; f < features; ++f) {
          float difference = points[f * count + i] - centres[centre * features + f];
          distances[centre] += difference * difference;
        }
      if (nearest[i] != std::min_element(distances.begin(), distances.end()) - distances.begin())
        return false;
    }
    return true;
  }

  const size_t count, centreCount, features;
  const std::vector<float> points, centres;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem points = bench.buffer(problem.points), centres = bench.buffer(problem.centres),
      nearest = bench.buffer(problem.count * sizeof(int32_t));
  cl_kernel kernel = bench.kernelOf("kmeans", "assign");
  arguments(kernel, points, centres, nearest, cl_int(problem.count), cl_int(problem.centreCount),
            cl_int(problem.features));
  auto run = [&] {
    bench.launch(kernel, {roundUp(problem.count, 256)}, {256});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<int32_t>(nearest, problem.count)); });
  countItems(state, problem.count);
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<int32_t> nearest(problem.count);
  auto run = [&] {
    native::forRange(problem.count, 1024, [&](native::Range range) {
      native::nearestCentre(problem.points.data(), problem.centres.data(), nearest.data(), problem.count,
                            problem.centreCount, problem.features, range);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(nearest); });
  countItems(state, problem.count);
}

const SuiteKernel registered("kmeans", onDevice, onHost, {{64000, 24, 16}}, {{4096000, 32, 32}});

} // namespace
} // namespace bench
