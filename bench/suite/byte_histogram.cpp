// Atomic additions in local memory, one for each byte of the input.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include "bench/suite/native/Groups.h"
#include "bench/suite/native/Threads.h"

namespace bench {
namespace {

struct Problem {
  explicit Problem(const benchmark::State &state)
      : groups(size_t(state.range(0))), count(size_t(state.range(1))), bytes(randomBytes(count, 1)) {}
  bool isSolvedBy(const std::vector<uint32_t> &bins) const {
    std::vector<uint32_t> expected(256, 0);
    for (uint8_t byte : bytes)
      ++expected[byte];
    return bins == expected;
  }
  /// The bytes of one work-group; the last one may have fewer.
  size_t part() const { return (count + groups - 1) / groups; }

  const size_t groups, count;
  const std::vector<uint8_t> bytes;
};

// The bins are not cleared between runs; only the first run is verified.
void onDevice(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  size_t group = 128;
  Mem bytes = bench.buffer(problem.bytes), bins = bench.buffer(std::vector<uint32_t>(256, 0));
  cl_kernel kernel = bench.kernelOf("byte_histogram", "byte_histogram");
  arguments(kernel, bytes, bins, cl_int(problem.part()), cl_int(problem.count));
  auto run = [&] {
    bench.launch(kernel, {problem.groups * group}, {group});
    bench.finish();
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bench.read<uint32_t>(bins, 256)); });
  countBytes(state, problem.count);
}

void onHost(Bench &bench, benchmark::State &state) {
  Problem problem(state);
  std::vector<uint32_t> bins(256, 0);
  auto run = [&] {
    native::forRange(problem.count, 1 << 18,
                     [&](native::Range range) { native::byteHistogram(problem.bytes.data(), bins.data(), range); });
  };
  verifyAndMeasure(bench, state, run, [&] { return problem.isSolvedBy(bins); });
  countBytes(state, problem.count);
}

const SuiteKernel registered("byte_histogram", onDevice, onHost, {{100, 8000000}}, {{4096, 1 << 28}});

} // namespace
} // namespace bench
