// Table look-ups: each colour of a pixel has a table of 256 bytes in constant memory.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Streams.h"
#include "bench/suite/native/Threads.h"

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : count(size_t(state.range(0))), pixels(randomBytes(4 * count, 1)), tables(randomBytes(size_t(3) * 256, 2)) {}
  bool isSolvedBy(const std::vector<uint8_t> &got) const {
    for (size_t i = 0; i < pixels.size(); ++i)
      if (got[i] != (i % 4 == 3 ? pixels[i] : tables[i % 4 * 256 + pixels[i]]))
        return false;
    return true;
  }

  const size_t count;
  const std::vector<uint8_t> pixels, tables;
};

void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  Mem in = bench.buffer(problem.pixels), out = bench.buffer(problem.pixels.size()),
      tables = bench.buffer(problem.tables);
  cl_kernel kernel = bench.kernelOf("tone_curves", "tone_curves");
  arguments(kernel, in, out, tables, cl_int(problem.count));
  auto run = [&] {
    bench.launch(kernel, {roundUp(problem.count, 64)}, {64});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run,
                   [&] { return problem.isSolvedBy(bench.read<uint8_t>(out, problem.pixels.size())); });
  countBytes(state, 2 * problem.pixels.size());
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<uint8_t> out(problem.pixels.size());
  auto run = [&] {
    native::forRange(problem.count, 1 << 14, [&](native::Range pixels) {
      native::toneCurves(problem.pixels.data(), out.data(), problem.tables.data(), pixels);
    });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(out); });
  countBytes(state, 2 * problem.pixels.size());
}

const SuiteKernel registered("tone_curves", onDevice, onHost, {{2000000}}, {{1 << 26}});

} // namespace
} // namespace bench
