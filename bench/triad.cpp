// How much memory bandwidth does the simplest kernel reach? In cache with the smaller size, in memory with the larger.
#include "bench/Bench.h"
#include "bench/Reference.h"

namespace bench {
namespace {

void triad(Bench &bench, benchmark::State &state) {
  size_t count = size_t(state.range(0));
  std::vector<float> b = wholeFloats(count, 1), c = wholeFloats(count, 2);
  Mem deviceA = bench.buffer(count * sizeof(float)), deviceB = bench.buffer(b), deviceC = bench.buffer(c);
  cl_kernel kernel = bench.kernelOf("triad", "triad");
  const float scale = 3.0f;
  arguments(kernel, deviceA, deviceB, deviceC, scale);
  auto run = [&] {
    bench.launch(kernel, {count});
    bench.finish();
  };
  bench.verifyOnce("triad/" + std::to_string(count), [&] {
    run();
    std::vector<float> a = bench.read<float>(deviceA, count);
    for (size_t i = 0; i < count; ++i)
      if (a[i] != b[i] + scale * c[i])
        return false;
    return true;
  });
  measure(state, run);
  countBytes(state, 3 * sizeof(float) * count);
}

[[maybe_unused]] const Registered registered[] = {add("triad", triad, {{1 << 16}, {1 << 24}}, {{1 << 28}})};

} // namespace
} // namespace bench
