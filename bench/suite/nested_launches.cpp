// Measures launches by kernels (a chain, and many at once), and the same number of launches by the host.
#include "bench/opencl/DeviceQueues.h"
// After it, see its first line.
#include "bench/suite/Bench.h"

namespace bench {
namespace {

constexpr cl_int launches = 1000;

void perLaunch(benchmark::State &state) {
  countItems(state, launches);
  state.counters["per_launch"] = benchmark::Counter(double(state.iterations() * launches),
                                                    benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void byKernel(Bench &bench, benchmark::State &state, const char *name, cl_int own) {
  if (!hasDeviceQueues(bench.device)) {
    state.SkipWithError("the device has no device queues");
    return;
  }
  const auto items = cl_int(state.range(0));
  Queue queue = createDeviceQueue(bench);
  cl_kernel kernel = bench.kernelOf("nested", name, "-cl-std=CL3.0");
  Mem counter = bench.buffer(std::vector<cl_int>{0});
  arguments(kernel, counter, launches - own, items);
  measure(state, [&] {
    bench.launch(kernel, {size_t(own ? items : 1)});
    bench.finish();
  });
  if (bench.read<cl_int>(counter, 1)[0] != cl_int(state.iterations() * launches))
    throw std::runtime_error("the counter differs from the number of launches");
  perLaunch(state);
}

void chain(Bench &bench, benchmark::State &state) { byKernel(bench, state, "chain", 1); }
void spread(Bench &bench, benchmark::State &state) { byKernel(bench, state, "spread", 0); }

void byHost(Bench &bench, benchmark::State &state) {
  const auto items = size_t(state.range(0));
  cl_kernel kernel = bench.kernelOf("empty", "count");
  Mem counter = bench.buffer(std::vector<cl_int>{0});
  arguments(kernel, counter);
  measure(state, [&] {
    for (cl_int i = 0; i < launches; ++i)
      bench.launch(kernel, {items});
    bench.finish();
  });
  if (bench.read<cl_int>(counter, 1)[0] != cl_int(state.iterations() * launches))
    throw std::runtime_error("the counter differs from the number of launches");
  perLaunch(state);
}

[[maybe_unused]] const Registered registered[] = {add("nested_by_host", byHost)->Arg(1)->Arg(64),
                                                  add("nested_chain", chain)->Arg(1)->Arg(64),
                                                  add("nested_spread", spread)->Arg(1)->Arg(64)};

} // namespace
} // namespace bench
