// What every benchmark uses: the device under test, kernels built once, outputs verified once, and a timed loop.
#pragma once
#include "bench/Opencl.h"
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

/// The device that --platform and --device name, for the time that benchmarks run.
class Bench : public Session {
public:
  Bench(std::string platformName, size_t deviceIndex, cl_device_id device)
      : Session(device), platformName(std::move(platformName)), deviceIndex(deviceIndex) {}

  /// A kernel of bench/kernels/<file>.cl, built on first use.
  cl_kernel kernelOf(const char *file, const char *kernel, const char *options = "-cl-std=CL1.2");

  /// Runs `matches` the first time that `what` is verified; throws when it says no.
  void verifyOnce(const std::string &what, const std::function<bool()> &matches);

  const std::string platformName;
  const size_t deviceIndex;
  /// The kernel of the suite that is measured, with its arguments.
  std::string running;

private:
  std::map<std::string, Program> programs_;
  std::map<std::string, Kernel> kernels_;
  std::set<std::string> verified_;
};

using Body = std::function<void(Bench &, benchmark::State &)>;

/// Registers a benchmark whose time is what its body says with SetIterationTime. An error that the body throws ends
/// this benchmark alone, and makes the program's exit status 1.
using Registered = benchmark::internal::Benchmark *;
Registered add(const char *name, Body body);

/// Arguments of a benchmark's runs: the usual ones, and those that fill a GPU, which are run only with --large.
using Arguments = std::vector<std::vector<int64_t>>;
Registered add(const char *name, Body body, const Arguments &usual, const Arguments &large);

/// A kernel of the suite: one benchmark on the device, and its native twin on the host as native/<name>, with the same
/// arguments. Made before main, registered by it.
struct SuiteKernel {
  SuiteKernel(const char *name, const Body &onDevice, const Body &onHost, const Arguments &usual,
              const Arguments &large);
};

/// Times `work`, which ends with everything that it enqueued.
template <typename Work> void measure(benchmark::State &state, const Work &work) {
  for ([[maybe_unused]] auto _ : state) {
    auto start = Clock::now();
    work();
    state.SetIterationTime(secondsSince(start));
  }
}

/// Compares what `work` left behind, when it is the first run of this kernel and size, and times it.
template <typename Work, typename Matches>
void verifyAndMeasure(Bench &bench, benchmark::State &state, const Work &work, const Matches &matches) {
  bench.verifyOnce(bench.running, [&] {
    work();
    return matches();
  });
  measure(state, work);
}

/// A global size for `count` work-items in groups of `group`; those behind `count` are the kernel's to leave out.
inline size_t roundUp(size_t count, size_t group) { return (count + group - 1) / group * group; }

inline void countBytes(benchmark::State &state, size_t bytes) {
  state.SetBytesProcessed(int64_t(state.iterations()) * int64_t(bytes));
}
inline void countItems(benchmark::State &state, size_t items) {
  state.SetItemsProcessed(int64_t(state.iterations()) * int64_t(items));
}

/// build_time's other half: a fresh process that opens the device, builds and launches once, and prints its times.
int buildInChild(const std::string &platform, size_t device, const std::string &kernelSize, const std::string &nonce);

} // namespace bench
