// How fast are atomic additions, many in local memory and a few in global memory?
#include "bench/Bench.h"
#include "bench/Reference.h"

namespace bench {
namespace {

void histogram(Bench &bench, benchmark::State &state) {
  size_t group = 128, items = size_t(state.range(0)), count = size_t(state.range(1));
  std::vector<uint32_t> words = randomWords(count, 1), zero(256, 0);
  Mem in = bench.buffer(words), bins = bench.buffer(zero);
  cl_kernel kernel = bench.kernelOf("histogram", "histogram");
  arguments(kernel, in, bins, cl_uint(count));
  auto run = [&] {
    bench.launch(kernel, {items}, {group});
    bench.finish();
  };
  bench.verifyOnce("histogram/" + std::to_string(items) + "/" + std::to_string(count), [&] {
    run();
    std::vector<uint32_t> wanted(256, 0);
    for (uint32_t word : words)
      for (int shift = 0; shift < 32; shift += 8)
        ++wanted[word >> shift & 255];
    return bench.read<uint32_t>(bins, 256) == wanted;
  });
  measure(state, run);
  countBytes(state, count * sizeof(uint32_t));
}

[[maybe_unused]] const Registered registered[] = {add("histogram", histogram, {{8192, 1 << 20}}, {{1 << 18, 1 << 27}})};

} // namespace
} // namespace bench
