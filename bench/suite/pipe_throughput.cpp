// Throughput of a pipe, and of a buffer with an atomic counter.
#include "bench/opencl/Pipes.h"
// After it, see its first line.
#include "bench/suite/Bench.h"

namespace bench {
namespace {

constexpr size_t Group = 256;

void counter(Bench &bench, benchmark::State &state) {
  size_t count = size_t(state.range(0));
  const std::vector<uint32_t> zero(2, 0);
  Mem words = bench.buffer(count * 4), out = bench.buffer(count * 4), in = bench.buffer(zero),
      taken = bench.buffer(zero);
  cl_kernel append = bench.kernelOf("counter", "append"), take = bench.kernelOf("counter", "take");
  arguments(append, words, in, cl_uint(count));
  arguments(take, words, taken, cl_uint(count), out);
  auto run = [&] {
    bench.write(in, zero);
    bench.write(taken, zero);
    bench.launch(append, {count}, {Group});
    bench.launch(take, {count}, {Group});
    bench.finish();
  };
  bench.verifyOnce("queue_counter/" + std::to_string(count), [&] {
    run();
    return isComplete(bench.read<uint32_t>(out, count));
  });
  measure(state, run);
  countItems(state, count);
}

void pipe(Bench &bench, benchmark::State &state, const char *append, const char *take) {
  if (!hasPipes(bench.device)) {
    state.SkipWithError("the device has no pipes");
    return;
  }
  size_t count = size_t(state.range(0));
  Mem words = createPipe(bench, 4, count), out = bench.buffer(count * 4);
  cl_kernel in = bench.kernelOf("pipe", append, "-cl-std=CL3.0"), from = bench.kernelOf("pipe", take, "-cl-std=CL3.0");
  arguments(in, words);
  arguments(from, words, out);
  auto run = [&] {
    bench.launch(in, {count}, {Group});
    bench.launch(from, {count}, {Group});
    bench.finish();
  };
  bench.verifyOnce(append + std::to_string(count), [&] {
    run();
    return isComplete(bench.read<uint32_t>(out, count));
  });
  measure(state, run);
  countItems(state, count);
}

void packets(Bench &bench, benchmark::State &state) { pipe(bench, state, "append", "take"); }
void blocks(Bench &bench, benchmark::State &state) { pipe(bench, state, "append_block", "take_block"); }

[[maybe_unused]] const Registered registered[] = {add("queue_counter", counter, {{1 << 20}}, {{1 << 24}}),
                                                  add("queue_pipe", packets, {{1 << 20}}, {{1 << 24}}),
                                                  add("queue_pipe_blocks", blocks, {{1 << 20}}, {{1 << 24}})};

} // namespace
} // namespace bench
