// Linked lists: pointers in shared virtual memory compared with element indices in a buffer.
#include "bench/suite/SharedMemory.h"
// After it, see its first line.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"
#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

namespace bench {
namespace {

constexpr size_t walks = 1024;
constexpr cl_uint steps = 1000;

struct NumberedNode {
  uint64_t next;
  int32_t value, unused;
};

/// The index of each node's successor: one ring through all nodes, in random order, so that prefetching does not help.
std::vector<uint32_t> ring(size_t count) {
  std::vector<uint32_t> order(count), next(count);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  for (size_t i = 0; i < count; ++i)
    next[order[i]] = order[(i + 1) % count];
  return next;
}

std::vector<int32_t> wantedSums(const std::vector<uint32_t> &next) {
  std::vector<int32_t> sums(walks);
  for (size_t walk = 0; walk < walks; ++walk)
    for (size_t i = 0, at = walk; i < steps; ++i, at = next[at])
      sums[walk] += int32_t(at % 1000);
  return sums;
}

void run(Bench &bench, benchmark::State &state, const char *name, cl_kernel kernel, const std::vector<uint32_t> &next) {
  Mem sums = bench.buffer(walks * sizeof(int32_t));
  cl_mem handle = sums;
  check(clSetKernelArg(kernel, 1, sizeof(handle), &handle), "clSetKernelArg");
  check(clSetKernelArg(kernel, 2, sizeof(steps), &steps), "clSetKernelArg");
  auto launch = [&] {
    bench.launch(kernel, {walks});
    bench.finish();
  };
  bench.verifyOnce(name + std::to_string(next.size()), [&] {
    launch();
    return bench.read<int32_t>(sums, walks) == wantedSums(next);
  });
  measure(state, launch);
  countItems(state, walks * steps);
}

void byPointer(Bench &bench, benchmark::State &state) {
  if (!hasSharedMemory(bench.device)) {
    state.SkipWithError("the device has no shared virtual memory");
    return;
  }
  const std::vector<uint32_t> next = ring(size_t(state.range(0)));
  Shared<Node> nodes(bench, next.size());
  nodes.mapped([&](std::span<Node> all) {
    for (size_t i = 0; i < next.size(); ++i)
      all[i] = {&all[next[i]], int32_t(i % 1000), 0};
  });
  cl_kernel kernel = bench.kernelOf("pointer_chasing", "by_pointer");
  nodes.setArgument(kernel, 0);
  run(bench, state, "by_pointer", kernel, next);
}

void byNumber(Bench &bench, benchmark::State &state) {
  const std::vector<uint32_t> next = ring(size_t(state.range(0)));
  std::vector<NumberedNode> nodes(next.size());
  for (size_t i = 0; i < next.size(); ++i)
    nodes[i] = {next[i], int32_t(i % 1000), 0};
  Mem memory = bench.buffer(nodes);
  cl_kernel kernel = bench.kernelOf("pointer_chasing", "by_number");
  cl_mem handle = memory;
  check(clSetKernelArg(kernel, 0, sizeof(handle), &handle), "clSetKernelArg");
  run(bench, state, "by_number", kernel, next);
}

// Sizes: nodes that fit in a core's cache, and nodes that fit in no cache.
[[maybe_unused]] const Registered registered[] = {
    add("pointer_chasing/by_pointer", byPointer, {{1 << 14}, {1 << 22}}, {{1 << 26}}),
    add("pointer_chasing/by_number", byNumber, {{1 << 14}, {1 << 22}}, {{1 << 26}})};

} // namespace
} // namespace bench
