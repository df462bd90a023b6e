// Measures the time of a launch in a batch of many. The time is that of the whole batch; per_launch divides it.
#include "bench/suite/Bench.h"

namespace bench {
namespace {

constexpr size_t batch = 1000;

void batched(Bench &bench, benchmark::State &state) {
  size_t items = size_t(state.range(0));
  cl_kernel kernel = bench.kernelOf("empty", "count");
  Mem counter = bench.buffer(std::vector<cl_int>{0});
  arguments(kernel, counter);
  measure(state, [&] {
    for (size_t i = 0; i < batch; ++i)
      bench.launch(kernel, {items});
    bench.finish();
  });
  if (bench.read<cl_int>(counter, 1)[0] != cl_int(state.iterations() * batch))
    throw std::runtime_error("the counter differs from the number of launches");
  countItems(state, batch);
  // Uses the manual time; kInvert converts launches per second to seconds per launch.
  state.counters["per_launch"] =
      benchmark::Counter(double(state.iterations() * batch), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

[[maybe_unused]] const Registered registered[] = {add("batched_launches", batched)->Arg(1)->Arg(1024)};

} // namespace
} // namespace bench
