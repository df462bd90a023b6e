// Bandwidth of copies between host and device, and within the device.
#include "bench/suite/Bench.h"
#include "bench/suite/Reference.h"

#include <algorithm>

namespace bench {
namespace {

struct Bytes {
  Bytes(Bench &bench, benchmark::State &state)
      : size(size_t(state.range(0))), content(randomWords(size / 4, 3)), device(bench.buffer(content)) {}
  size_t size;
  std::vector<uint32_t> content;
  Mem device;
};

void require(bool right) {
  if (!right)
    throw std::runtime_error("the copied bytes differ from the source");
}

void write(Bench &bench, benchmark::State &state) {
  Bytes bytes(bench, state);
  Mem to = bench.buffer(bytes.size);
  measure(state, [&] { bench.write(to, bytes.content); });
  require(bench.read<uint32_t>(to, bytes.content.size()) == bytes.content);
  countBytes(state, bytes.size);
}

void read(Bench &bench, benchmark::State &state) {
  Bytes bytes(bench, state);
  std::vector<uint32_t> to(bytes.content.size());
  measure(state, [&] {
    check(clEnqueueReadBuffer(bench.queue, bytes.device, CL_TRUE, 0, bytes.size, to.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
  });
  require(to == bytes.content);
  countBytes(state, bytes.size);
}

void copy(Bench &bench, benchmark::State &state) {
  Bytes bytes(bench, state);
  Mem to = bench.buffer(bytes.size);
  measure(state, [&] {
    check(clEnqueueCopyBuffer(bench.queue, bytes.device, to, 0, 0, bytes.size, 0, nullptr, nullptr),
          "clEnqueueCopyBuffer");
    bench.finish();
  });
  require(bench.read<uint32_t>(to, bytes.content.size()) == bytes.content);
  countBytes(state, 2 * bytes.size); // read and written
}

void fill(Bench &bench, benchmark::State &state) {
  Bytes bytes(bench, state);
  const uint32_t pattern = 0x12345678;
  measure(state, [&] {
    check(clEnqueueFillBuffer(bench.queue, bytes.device, &pattern, sizeof(pattern), 0, bytes.size, 0, nullptr, nullptr),
          "clEnqueueFillBuffer");
    bench.finish();
  });
  require(bench.read<uint32_t>(bytes.device, bytes.content.size()) ==
          std::vector<uint32_t>(bytes.content.size(), pattern));
  countBytes(state, bytes.size);
}

/// Maps for reading and unmaps. Counts no bytes: if the device uses the host's memory, none are copied.
void map(Bench &bench, benchmark::State &state) {
  Bytes bytes(bench, state);
  bool first = true;
  measure(state, [&] {
    cl_int code = CL_SUCCESS;
    auto *mapped = static_cast<uint32_t *>(
        clEnqueueMapBuffer(bench.queue, bytes.device, CL_TRUE, CL_MAP_READ, 0, bytes.size, 0, nullptr, nullptr, &code));
    check(code, "clEnqueueMapBuffer");
    // Verifies all bytes the first time and one word later, so that the host does access the memory.
    require(first ? std::equal(bytes.content.begin(), bytes.content.end(), mapped)
                  : mapped[bytes.content.size() - 1] == bytes.content.back());
    first = false;
    check(clEnqueueUnmapMemObject(bench.queue, bytes.device, mapped, 0, nullptr, nullptr), "clEnqueueUnmapMemObject");
    bench.finish();
  });
}

void sizes(benchmark::internal::Benchmark *benchmark) { benchmark->Arg(4 << 10)->Arg(1 << 20)->Arg(64 << 20); }

[[maybe_unused]] const Registered registered[] = {
    add("copy_bandwidth/write", write)->Apply(sizes), add("copy_bandwidth/read", read)->Apply(sizes),
    add("copy_bandwidth/copy", copy)->Apply(sizes),   add("copy_bandwidth/fill", fill)->Apply(sizes),
    add("copy_bandwidth/map", map)->Apply(sizes),
};

} // namespace
} // namespace bench
