#include "bench/measure/Measure.h"
#include "bench/measure/Targets.h"
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdio>
#include <fstream>

namespace bench {

const char *const RequestUsage = R"(usage: kiln-bench [OPTIONS] --source FILE...     kernels of one's own, OpenCL C
       kiln-bench [OPTIONS] BUNDLE...            launches that KILN_CAPTURE has captured
       kiln-bench [OPTIONS]                      Kiln's own benchmarks; only in a clone of its sources

Measures on every device of every OpenCL platform. Several sources or bundles are variants: they run in turn
(A B B A ...), and each is compared with the first. Sampling ends when the times and the verdicts are known.

  --source=FILE       a file with the kernel
  --options=TEXT      build options: before the first --source of all, after a --source of this one
  --kernel=NAME       the kernel; needed if the source has several
  --size=1024x64      global size (1048576)          --local=16x16       local size (chosen by the runtime)
  --arg=[NAME=]VALUE  an argument, by name, by number, or in order: a number; 1,2,3,4 for a vector; random, zero or iota
                      for a pointer, with :COUNT for another number of elements than work-items
  --bytes=N           bytes of a launch, for the bandwidth (the sum of all buffers)
  --ops=N             operations of a launch
  --platform=NAME     only platforms whose name contains NAME; --device=NAME the same for devices
  --precision=P       percent of the median to which it must be known (1)
  --seconds=S         limit for the samples of one device (10)
  --samples=FILE      write all times to FILE: a line has the name and the seconds of each sample

Options of Google Benchmark follow: --benchmark_out=FILE, --benchmark_filter=NAME, --benchmark_format=json.
For Kiln's own benchmarks: --platform=NAME --device=INDEX --large=yes --suite=yes.
)";

namespace {

/// What one device has measured.
struct Measured {
  std::string device;
  std::vector<Candidate> candidates;
  std::vector<Sampled> samples; // of the candidates without an error, in their order
};

Measured measureOn(const TargetDevice &target, const Request &request) {
  Measured made{target.name, {}, {}};
  Workplace workplace(target.device);
  made.candidates = request.sources.empty() ? workplace.fromBundles(request.bundles) : workplace.fromSources(request);
  std::vector<Variant> variants;
  for (const Candidate &candidate : made.candidates)
    if (candidate.error.empty())
      variants.push_back(candidate.variant);
  // Bundles are different launches, so their times are not compared.
  if (request.sources.empty())
    for (const Variant &variant : variants)
      made.samples.push_back(sample({variant}, {request.seconds, request.precision}).front());
  else if (!variants.empty())
    made.samples = sample(variants, {request.seconds, request.precision});
  return made;
}

void write(const std::vector<Measured> &all, const std::string &path) {
  std::ofstream file(path);
  for (const Measured &one : all) {
    auto samples = one.samples.begin();
    for (const Candidate &candidate : one.candidates) {
      if (!candidate.error.empty())
        continue;
      file << candidate.variant.name << "/" << one.device;
      for (double seconds : (samples++)->seconds)
        file << '\t' << seconds;
      file << '\n';
    }
  }
  if (!file.flush())
    throw std::runtime_error("--samples is " + path + ", which cannot be written");
}

/// A Google Benchmark that reports the samples: its one iteration has the median's time.
void report(const Candidate &candidate, const Sampled *sampled, const std::string &device, const std::string &first,
            uint64_t operations) {
  auto body = [&candidate, sampled, first, operations](benchmark::State &state) {
    if (!sampled)
      return state.SkipWithError(candidate.error.c_str());
    for ([[maybe_unused]] auto _ : state)
      state.SetIterationTime(sampled->time.value);
    state.SetBytesProcessed(int64_t(candidate.bytes));
    state.counters["samples"] = double(sampled->seconds.size());
    state.counters["+-%"] = 100 * sampled->time.halfWidth() / sampled->time.value;
    if (operations)
      state.SetItemsProcessed(int64_t(operations));
    std::string label = candidate.note;
    if (sampled->comparison.rounds())
      label = describe(sampled->comparison, first) + (label.empty() ? "" : "; ") + label;
    state.SetLabel(label);
  };
  benchmark::RegisterBenchmark((candidate.variant.name + "/" + device).c_str(), body)
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMicrosecond);
}

} // namespace

int measureRequest(const Request &request, const char *program) {
  const std::vector<TargetDevice> targets = targetDevices(request.platform, request.device);
  std::vector<Measured> all;
  for (const TargetDevice &target : targets) {
    fprintf(stderr, "kiln-bench: measuring on %s (%zu of %zu)\n", target.name.c_str(), all.size() + 1, targets.size());
    all.push_back(measureOn(target, request));
  }
  if (!request.samples.empty())
    write(all, request.samples);
  benchmark::ClearRegisteredBenchmarks();
  bool ran = false;
  for (const Measured &one : all) {
    auto samples = one.samples.begin();
    std::string first;
    for (const Candidate &candidate : one.candidates) {
      const Sampled *sampled = candidate.error.empty() ? &*samples++ : nullptr;
      if (sampled && first.empty())
        first = candidate.variant.name;
      report(candidate, sampled, one.device, first, request.operations);
      ran |= sampled != nullptr;
    }
  }
  std::vector<std::string> options = {program};
  options.insert(options.end(), request.others.begin(), request.others.end());
  std::vector<char *> pointers;
  for (std::string &option : options)
    pointers.push_back(option.data());
  int count = int(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data()))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  return !ran;
}

} // namespace bench
