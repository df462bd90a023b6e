// Shared by all benchmarks: the device under test, kernels built once, outputs verified once, and a timed loop.
#pragma once
#include "bench/opencl/Opencl.h"
#include <benchmark/benchmark.h>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>

namespace bench {

using Clock = std::chrono::steady_clock;
inline double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The device that --platform and --device name. Lives while the benchmarks run.
class Bench : public Session {
public:
  Bench(std::string platformName, size_t deviceIndex, cl_device_id device)
      : Session(device), platformName(std::move(platformName)), deviceIndex(deviceIndex) {}

  /// A kernel of bench/kernels/<file>.cl, built on first use.
  cl_kernel kernelOf(const char *file, const char *kernel, const char *options = "-cl-std=CL1.2");

  /// Calls `matches` unless it has already returned true for `name`; throws if it returns false.
  void verifyOnce(const std::string &name, const std::function<bool()> &matches);

  const std::string platformName;
  const size_t deviceIndex;
  /// Name and arguments of the suite kernel that is being measured.
  std::string currentKernel;

private:
  std::map<std::string, Program> programs_;
  std::map<std::string, Kernel> kernels_;
  std::set<std::string> verified_;
};

using Body = std::function<void(Bench &, benchmark::State &)>;

/// Registers a benchmark whose body sets the time with SetIterationTime. An exception from the body ends only this
/// benchmark and sets the program's exit status to 1.
using Registered = benchmark::internal::Benchmark *;
Registered add(const char *name, Body body);

/// Arguments of a benchmark's runs: the usual ones, and those that fill a GPU, which run only with --large.
using Arguments = std::vector<std::vector<int64_t>>;
Registered add(const char *name, Body body, const Arguments &usual, const Arguments &large);

/// A kernel of the suite: one benchmark on the device, and its native twin on the host as native/<name>, with the same
/// arguments. Constructed before main; main registers both.
struct SuiteKernel {
  SuiteKernel(const char *name, const Body &onDevice, const Body &onHost, const Arguments &usual,
              const Arguments &large);
};

/// Times `work`, which must wait for everything that it enqueues.
template <typename Work> void measure(benchmark::State &state, const Work &work) {
  for ([[maybe_unused]] auto _ : state) {
    auto start = Clock::now();
    work();
    state.SetIterationTime(secondsSince(start));
  }
}

/// Times `work`. Before the first run of this kernel and size, runs it once and verifies the output with `matches`.
template <typename Work, typename Matches>
void verifyAndMeasure(Bench &bench, benchmark::State &state, const Work &work, const Matches &matches) {
  bench.verifyOnce(bench.currentKernel, [&] {
    work();
    return matches();
  });
  measure(state, work);
}

/// A global size for `count` work-items in groups of `group`; the kernel must skip ids from `count` on.
inline size_t roundUp(size_t count, size_t group) { return (count + group - 1) / group * group; }

inline void countBytes(benchmark::State &state, size_t bytes) {
  // Not SetBytesProcessed, which prints GiB: reports, and makers of memory, say GB.
  state.counters["bytes_per_second"] =
      benchmark::Counter(double(bytes), benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}
inline void countItems(benchmark::State &state, size_t items) {
  state.SetItemsProcessed(int64_t(state.iterations()) * int64_t(items));
}
/// The place of a kernel in the roofline: its floating-point operations, and the bytes that it must move at least: each
/// input and output once.
inline void countRoofline(benchmark::State &state, size_t operations, size_t bytes) {
  constexpr auto Rate = benchmark::Counter::kIsIterationInvariantRate;
  state.counters["roof_operations_per_second"] = benchmark::Counter(double(operations), Rate);
  state.counters["roof_bytes_per_second"] = benchmark::Counter(double(bytes), Rate);
}

/// The child process of build_time: opens the device, builds and launches once, and prints its times.
int buildInChild(const std::string &platform, size_t device, const std::string &kernelSize, const std::string &nonce);

} // namespace bench
