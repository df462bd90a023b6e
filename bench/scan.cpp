// How fast is a prefix sum inside work-groups, log2(size) rounds with a barrier each?
#include "bench/Bench.h"
#include "bench/Reference.h"

namespace bench {
namespace {

void scan(Bench &bench, benchmark::State &state) {
  size_t group = size_t(state.range(0)), count = size_t(state.range(1));
  std::vector<uint32_t> in = randomWords(count, 1);
  Mem deviceIn = bench.buffer(in), deviceOut = bench.buffer(count * sizeof(uint32_t));
  cl_kernel kernel = bench.kernelOf("scan", "scan");
  arguments(kernel, deviceIn, deviceOut, Local{2 * group * sizeof(uint32_t)});
  auto run = [&] {
    bench.launch(kernel, {count}, {group});
    bench.finish();
  };
  bench.verifyOnce("scan/" + std::to_string(group) + "/" + std::to_string(count), [&] {
    run();
    std::vector<uint32_t> out = bench.read<uint32_t>(deviceOut, count);
    uint32_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
      sum = (i % group ? sum : 0) + in[i];
      if (out[i] != sum)
        return false;
    }
    return true;
  });
  measure(state, run);
  countItems(state, count);
}

[[maybe_unused]] const Registered registered[] = {
    add("scan", scan, {{64, 1 << 22}, {256, 1 << 22}}, {{64, 1 << 27}, {256, 1 << 27}})};

} // namespace
} // namespace bench
