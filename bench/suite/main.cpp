// The command line, and the one device that all benchmarks of a run use.
//
// With a source or a bundle, bench/measure does the work.
//
//   kiln-bench [--platform=NAME] [--device=INDEX] [--large=yes] [--suite=yes] [--only=KERNEL/SIZE...] [--peaks=yes]
//   [--processors=N] [google-benchmark's own options]
#include "bench/measure/ChildProcess.h"
#include "bench/measure/Display.h"
#include "bench/measure/Measure.h"
#include "bench/measure/Peaks.h"
#include "bench/measure/Processors.h"
#include "bench/measure/Words.h"
#include "bench/opencl/CacheFolder.h"
#include "bench/suite/Bench.h"
#include "bench/suite/IncrementalJson.h"
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>
#include <string>

namespace bench {

namespace {
std::unique_ptr<Bench> current;
Progress *progress = nullptr; // of the process that measures
bool failed = false;

/// Returns the value of each `--name=value` and removes the options from the arguments.
std::vector<std::string> extractOptions(int &count, char **arguments, const std::string &name) {
  std::vector<std::string> values;
  const std::string start = "--" + name + "=";
  int kept = 1;
  for (int i = 1; i < count; ++i)
    if (std::string argument = arguments[i]; argument.starts_with(start))
      values.push_back(argument.substr(start.size()));
    else
      arguments[kept++] = arguments[i];
  arguments[count = kept] = nullptr;
  return values;
}
std::string extractOption(int &count, char **arguments, const std::string &name, const std::string &fallback) {
  const std::vector<std::string> values = extractOptions(count, arguments, name);
  return values.empty() ? fallback : values.back();
}

/// Returns the sizes in `text` if it is the kernel's name followed by `count` positive numbers, each after a slash.
std::optional<std::vector<int64_t>> sizesAfter(const std::string &text, const std::string &kernel, size_t count) {
  if (!text.starts_with(kernel))
    return std::nullopt;
  std::vector<int64_t> sizes;
  const char *at = text.data() + kernel.size(), *end = text.data() + text.size();
  while (at != end && *at == '/') {
    auto [next, error] = std::from_chars(at + 1, end, sizes.emplace_back());
    if (error != std::errc() || sizes.back() <= 0)
      return std::nullopt;
    at = next;
  }
  return at == end && sizes.size() == count ? std::optional(sizes) : std::nullopt;
}

} // namespace

cl_kernel Bench::kernelOf(const char *file, const char *kernelName, const char *options) {
  Kernel &made = kernels_[std::string(file) + "/" + kernelName];
  if (!made) {
    Program &program = programs_[file];
    if (!program)
      program = build(kernelSource(file), options);
    made = kernel(program, kernelName);
  }
  return made;
}

void Bench::verifyOnce(const std::string &name, const std::function<bool()> &matches) {
  if (verified_.contains(name))
    return;
  if (!matches())
    throw std::runtime_error(name + ": the device's result is wrong");
  verified_.insert(name);
}

Registered add(const char *name, Body body) {
  auto guarded = [name = std::string(name), body = std::move(body)](benchmark::State &state) {
    std::fflush(stdout); // the results until now, if the platform ends the process
    std::cout.flush();
    progress->setKernel(name);
    try {
      body(*current, state);
    } catch (const std::exception &error) {
      failed = true;
      state.SkipWithError(error.what());
    }
  };
  return benchmark::RegisterBenchmark(name, guarded)->UseManualTime()->Unit(benchmark::kMicrosecond);
}

// Constructed on first use, because benchmarks register themselves before main.
static std::vector<std::pair<Registered, Arguments>> &largeRuns() {
  static std::vector<std::pair<Registered, Arguments>> runs;
  return runs;
}

Registered add(const char *name, Body body, const Arguments &usual, const Arguments &large) {
  Registered made = add(name, std::move(body));
  for (const auto &values : usual)
    made->Args(values);
  largeRuns().emplace_back(made, large);
  return made;
}

namespace {
struct PlannedKernel {
  std::string name;
  Body body;
  Arguments usual, large;
};
std::vector<PlannedKernel> &suite() {
  static std::vector<PlannedKernel> all;
  return all;
}

/// Registers all kernels, or those in `only` with the sizes there.
void registerSuite(const std::vector<std::string> &only) {
  std::vector<std::string> unknown = only;
  for (const PlannedKernel &kernel : suite()) {
    Arguments chosen;
    for (const std::string &text : only)
      if (auto sizes = sizesAfter(text, kernel.name, kernel.usual.front().size())) {
        chosen.push_back(*sizes);
        std::erase(unknown, text);
      }
    if (!only.empty() && chosen.empty())
      continue;
    auto named = [&kernel](Bench &bench, benchmark::State &state) {
      bench.currentKernel = kernel.name;
      for (size_t i = 0; i < kernel.usual.front().size(); ++i)
        bench.currentKernel += "/" + std::to_string(state.range(i));
      progress->setKernel(bench.currentKernel);
      kernel.body(bench, state);
    };
    if (only.empty())
      add(kernel.name.c_str(), named, kernel.usual, kernel.large);
    else
      add(kernel.name.c_str(), named, chosen, {});
  }
  if (!unknown.empty())
    throw std::runtime_error("--only is '" + unknown.front() +
                             "', must be a kernel of the suite and its sizes, as --benchmark_list_tests names them");
}
} // namespace

SuiteKernel::SuiteKernel(const char *name, const Body &onDevice, const Body &onHost, const Arguments &usual,
                         const Arguments &large) {
  suite().push_back({name, onDevice, usual, large});
  suite().push_back({std::string("native/") + name, onHost, usual, large});
}

/// Returns true if the value is "yes", false if it is "no"; else throws.
static bool isYes(const std::string &option, const std::string &value) {
  if (value != "yes" && value != "no")
    throw std::runtime_error("--" + option + " is '" + value + "', must be yes or no");
  return value == "yes";
}

/// Returns true if Google Benchmark writes JSON to a file.
static bool writesJson(const std::vector<std::string> &options) {
  std::string file, format;
  for (const std::string &option : options)
    if (option.starts_with("--benchmark_out="))
      file = option.substr(option.find('=') + 1);
    else if (option.starts_with("--benchmark_out_format="))
      format = option.substr(option.find('=') + 1);
  return !file.empty() && (format.empty() || format == "json");
}

/// Runs the registered benchmarks on a device of a platform. Returns the program's exit status.
static int runOn(const std::string &name, size_t index, bool peaks, IncrementalJson *file) {
  progress->setPlatform(name);
  progress->setKernel("before the first kernel");
  cl_platform_id platform = findPlatform(name);
  progress->setPlatform(text(clGetPlatformInfo, platform, CL_PLATFORM_NAME));
  std::vector<cl_device_id> devices = devicesOf(platform);
  if (index >= devices.size())
    throw std::runtime_error("--device is " + std::to_string(index) + ", the platform has " +
                             std::to_string(devices.size()) + " devices");
  benchmark::AddCustomContext("platform", text(clGetPlatformInfo, platform, CL_PLATFORM_NAME));
  benchmark::AddCustomContext("platform_version", text(clGetPlatformInfo, platform, CL_PLATFORM_VERSION));
  benchmark::AddCustomContext("device", text(clGetDeviceInfo, devices[index], CL_DEVICE_NAME));
  benchmark::AddCustomContext("driver_version", text(clGetDeviceInfo, devices[index], CL_DRIVER_VERSION));
  benchmark::AddCustomContext("processors", std::to_string(usableProcessors().size()));
  if (peaks) { // for kiln-report
    progress->setKernel("the kernels of --peaks");
    const Peaks found = measurePeaks(Session(devices[index]), "float");
    benchmark::AddCustomContext("peak_bytes_per_second", std::to_string(found.bytesPerSecond));
    benchmark::AddCustomContext("peak_items_per_second", std::to_string(found.operationsPerSecond));
  }
  current = std::make_unique<Bench>(name, index, devices[index]);
  size_t ran = benchmark::RunSpecifiedBenchmarks(display(), file);
  current.reset(); // before the platform's library is unloaded
  return failed || !ran;
}

static int run(int argc, char **argv) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    fputs(RequestUsage, stdout);
    return 0;
  }
  if (isRequest(argc, argv)) {
    const Request request = parseRequest(argc, argv);
    CacheFolder caches;
    return measureRequest(request, argv[0]);
  }
  std::string name = extractOption(argc, argv, "platform", "Kiln");
  std::string indexText = extractOption(argc, argv, "device", "0");
  bool large = isYes("large", extractOption(argc, argv, "large", "no"));
  bool suiteOnly = isYes("suite", extractOption(argc, argv, "suite", "no"));
  const std::vector<std::string> only = extractOptions(argc, argv, "only");
  bool peaks = isYes("peaks", extractOption(argc, argv, "peaks", "no"));
  std::string processors = extractOption(argc, argv, "processors", "");
  if (!processors.empty())
    useProcessors(parseProcessors(processors));
  std::string child = extractOption(argc, argv, "child", "");
  std::string nonce = extractOption(argc, argv, "nonce", "");
  size_t index = 0;
  auto [end, error] = std::from_chars(indexText.data(), indexText.data() + indexText.size(), index);
  if (error != std::errc() || end != indexText.data() + indexText.size())
    throw std::runtime_error("--device is '" + indexText + "', must be a number");
  if (!child.empty())
    return buildInChild(name, index, child, nonce);

  // Defaults; options of the command line come later and override them. The median of the repetitions counts.
  std::vector<std::string> options = {argv[0], "--benchmark_repetitions=5", "--benchmark_min_time=0.1",
                                      "--benchmark_report_aggregates_only=true"};
  options.insert(options.end(), argv + 1, argv + argc);
  std::vector<char *> pointers;
  for (std::string &option : options)
    pointers.push_back(option.data());
  int count = int(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data()))
    return 1;

  if (suiteOnly || !only.empty()) {
    benchmark::ClearRegisteredBenchmarks();
    largeRuns().clear();
  }
  registerSuite(only);
  if (large)
    for (const auto &[made, runs] : largeRuns())
      for (const auto &values : runs)
        made->Args(values);

  const std::unique_ptr<IncrementalJson> file = writesJson(options) ? std::make_unique<IncrementalJson>() : nullptr;
  CacheFolder caches;
  const ChildProcess measured(
      [&](Progress &shared, const Send &) {
        progress = &shared;
        return runOn(name, index, peaks, file.get());
      },
      [](const std::string &) {});
  if (!measured.brokenBy().empty())
    throw std::runtime_error(std::string(measured.progress().kernel) + ": the platform " +
                             measured.progress().platform + " ended the process: " + measured.brokenBy() +
                             "; the results before it are kept");
  return measured.progress().status;
}

} // namespace bench

int main(int argc, char **argv) {
  try {
    return bench::run(argc, argv);
  } catch (const std::exception &error) {
    fprintf(stderr, "kiln-bench: %s\n", error.what());
    return 1;
  }
}
