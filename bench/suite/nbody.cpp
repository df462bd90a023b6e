// All-pairs forces: arithmetic with rsqrt, over tiles in local memory.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Particles.h"
#include "bench/suite/native/Threads.h"
#include <cmath>

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state) : count(size_t(state.range(0))), in(bodies(count)) {}
  bool isSolvedBy(const std::vector<Vector4> &got) const {
    for (size_t i = 0; i < count; i += count / 110) { // a sample, because the host is slow at this
      Vector4 expected = acceleration(in, i, softening);
      float allowed = 1e-3f * (1 + std::hypot(expected.x, expected.y, expected.z));
      if (!(std::hypot(got[i].x - expected.x, got[i].y - expected.y, got[i].z - expected.z) <= allowed))
        return false;
    }
    return true;
  }

  static constexpr float softening = 0.01f;
  const size_t count;
  const std::vector<Vector4> in;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  size_t group = 128;
  Mem in = bench.buffer(problem.in), out = bench.buffer(problem.count * sizeof(Vector4));
  cl_kernel kernel = bench.kernelOf("nbody", "accelerate");
  arguments(kernel, in, out, Local{group * sizeof(Vector4)}, problem.softening);
  auto run = [&] {
    bench.launch(kernel, {problem.count}, {group});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<Vector4>(out, problem.count)); });
  countItems(state, problem.count * problem.count);
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  size_t count = problem.count;
  std::vector<Vector4> out(count);
  std::vector<float> rows(4 * count);
  native::Rows4 split{&rows[0], &rows[count], &rows[2 * count], &rows[3 * count]};
  auto run = [&] {
    native::split(problem.in.data(), split, {0, count});
    native::forRange(count, 64, [&](native::Range range) {
      native::accelerate(split, out.data(), count, problem.softening, range);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(out); });
  countItems(state, count * count);
}

const SuiteKernel registered("nbody", onDevice, onHost, {{4096}}, {{131072}});

} // namespace
} // namespace bench
