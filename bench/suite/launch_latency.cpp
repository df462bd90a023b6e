// Latency of one launch, from the enqueue until the host sees its completion. The kernel is almost empty, so this is
// the cost of submission and notification.
#include "bench/suite/Bench.h"

namespace bench {
namespace {

struct Counter {
  Counter(Bench &bench, size_t items) : bench(bench), items(items), kernel(bench.kernelOf("empty", "count")) {
    counter = bench.buffer(std::vector<cl_int>{0});
    arguments(kernel, counter);
  }
  /// Throws unless the counter equals the number of launches.
  void verify(size_t launches) {
    if (bench.read<cl_int>(counter, 1)[0] != cl_int(launches))
      throw std::runtime_error("the counter differs from the number of launches");
  }
  Bench &bench;
  size_t items;
  cl_kernel kernel;
  Mem counter;
};

void finish(Bench &bench, benchmark::State &state) {
  Counter counter(bench, size_t(state.range(0)));
  measure(state, [&] {
    bench.launch(counter.kernel, {counter.items});
    bench.finish();
  });
  counter.verify(state.iterations());
}

void waitForEvent(Bench &bench, benchmark::State &state) {
  Counter counter(bench, size_t(state.range(0)));
  measure(state, [&] {
    Event event;
    bench.launch(counter.kernel, {counter.items}, {}, event.out());
    cl_event handle = event;
    check(clWaitForEvents(1, &handle), "clWaitForEvents");
  });
  counter.verify(state.iterations());
}

/// A launch, then a blocking read of its result that waits for the launch's event, as in a small interactive program.
void readBack(Bench &bench, benchmark::State &state) {
  Counter counter(bench, size_t(state.range(0)));
  cl_int result = 0;
  measure(state, [&] {
    Event launched, read;
    bench.launch(counter.kernel, {counter.items}, {}, launched.out());
    cl_event first = launched;
    check(
        clEnqueueReadBuffer(bench.queue, counter.counter, CL_FALSE, 0, sizeof(result), &result, 1, &first, read.out()),
        "clEnqueueReadBuffer");
    cl_event second = read;
    check(clWaitForEvents(1, &second), "clWaitForEvents");
  });
  if (result != cl_int(state.iterations()))
    throw std::runtime_error("the value read is not the last launch's result");
}

[[maybe_unused]] const Registered registered[] = {
    add("launch_latency/finish", finish)->Arg(1)->Arg(1024)->Arg(65536),
    add("launch_latency/wait_for_event", waitForEvent)->Arg(1),
    add("launch_latency/read_back", readBack)->Arg(1),
};

} // namespace
} // namespace bench
