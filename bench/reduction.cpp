// How fast is a sum by trees in local memory, where a barrier comes after every few instructions?
#include "bench/Bench.h"
#include "bench/Reference.h"

namespace bench {
namespace {

void reduce(Bench &bench, benchmark::State &state) {
  size_t group = size_t(state.range(0)), count = size_t(state.range(1));
  std::vector<float> in = wholeFloats(count, 1);
  Mem deviceIn = bench.buffer(in), sums = bench.buffer(count / group * sizeof(float));
  cl_kernel kernel = bench.kernelOf("reduction", "reduce");
  arguments(kernel, deviceIn, sums, Local{group * sizeof(float)});
  auto run = [&] {
    bench.launch(kernel, {count}, {group});
    bench.finish();
  };
  bench.verifyOnce("reduction/" + std::to_string(group) + "/" + std::to_string(count), [&] {
    run();
    std::vector<float> got = bench.read<float>(sums, count / group);
    for (size_t i = 0; i < got.size(); ++i) {
      float sum = 0;
      for (size_t k = 0; k < group; ++k)
        sum += in[i * group + k];
      if (got[i] != sum)
        return false;
    }
    return true;
  });
  measure(state, run);
  countBytes(state, count * sizeof(float));
}

[[maybe_unused]] const Registered registered[] = {
    add("reduction", reduce, {{64, 1 << 22}, {256, 1 << 22}}, {{64, 1 << 27}, {256, 1 << 27}})};

} // namespace
} // namespace bench
