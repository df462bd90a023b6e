#include "bench/measure/Targets.h"
#include "bench/measure/CheckResult.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

namespace bench {

const std::string WrongResult = "the result is wrong: ";

namespace {

/// A sample of launches that need no restored memory lasts about this long.
constexpr double SampleSeconds = 2e-3;

std::string countDifferent(const std::vector<std::string> &one, const std::vector<std::string> &other) {
  size_t different = 0, all = 0;
  for (size_t i = 0; i < one.size(); ++i) {
    all += one[i].size();
    for (size_t at = 0; at < one[i].size(); ++at)
      different += one[i][at] != other[i][at];
  }
  return different ? std::to_string(different) + " of " + std::to_string(all) + " bytes differ"
                   : std::string("same bits");
}

std::string spell(const std::vector<size_t> &size) {
  std::string text;
  for (size_t one : size)
    text += (text.empty() ? "" : "x") + std::to_string(one);
  return text;
}

Work workOf(const Request &request, const SourceKernel &kernel, size_t items) {
  Work work;
  work.operations = request.operations.of(items);
  if (request.bytes.number) {
    work.bytes = request.bytes.of(items);
    return work;
  }
  const bool isGiven = request.reads.number || request.writes.number;
  work.reads = isGiven ? request.reads.of(items) : kernel.readBytes();
  work.writes = isGiven ? request.writes.of(items) : kernel.writtenBytes();
  work.bytes = work.reads + work.writes;
  return work;
}

} // namespace

std::vector<TargetDevice> targetDevices(const std::string &platform, const std::string &device, Progress &progress) {
  progress.setPlatform("that the OpenCL loader loads");
  std::vector<TargetDevice> all;
  cl_uint count = 0;
  clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(count);
  if (count)
    check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  std::string names;
  for (cl_platform_id one : platforms) {
    const std::string platformName = text(clGetPlatformInfo, one, CL_PLATFORM_NAME);
    progress.setPlatform(platformName);
    cl_uint devices = 0;
    if (clGetDeviceIDs(one, CL_DEVICE_TYPE_ALL, 0, nullptr, &devices) != CL_SUCCESS || !devices)
      continue;
    for (cl_device_id id : devicesOf(one)) {
      const std::string name = platformName + "/" + text(clGetDeviceInfo, id, CL_DEVICE_NAME);
      names += "\n  " + name;
      if (platformName.find(platform) != std::string::npos &&
          name.find(device, platformName.size()) != std::string::npos)
        all.push_back({id, name});
    }
  }
  if (all.empty())
    throw std::runtime_error(names.empty() ? "the OpenCL loader finds no device"
                                           : "no device has these names; the devices are:" + names);
  return all;
}

void Workplace::flush() {
  if (!flush_)
    flush_ = std::make_unique<CacheFlush>(session_);
  flush_->run();
}

std::vector<std::string> Workplace::reference(const Request &request, const LaunchSize &size) {
  const SourceKernel kernel(session_, {request.check.reference, {}}, request, size, shared_);
  return kernel.result(shared_);
}

std::vector<Candidate> Workplace::fromSources(const Request &request, const std::vector<size_t> &global) {
  std::vector<Candidate> all;
  std::vector<std::string> first, right;
  std::string firstName;
  for (const Source &source : request.sources) {
    Candidate made;
    made.variant.name = std::filesystem::path(source.path).filename().string();
    if (!source.label.empty())
      made.variant.name += "[" + source.label + "]";
    if (std::ranges::count_if(request.sources, [&](const Source &other) {
          return other.path == source.path && other.label == source.label;
        }) > 1)
      made.variant.name += "#" + std::to_string(all.size() + 1);
    const LaunchSize size{global, source.local.empty() ? request.local : source.local};
    progress_.setKernel(made.variant.name + (request.kernel.empty() ? "" : ":" + request.kernel));
    try {
      kernels_.push_back(std::make_unique<SourceKernel>(session_, source, request, size, shared_));
      const SourceKernel &kernel = *kernels_.back();
      made.work = workOf(request, kernel, size.items());
      made.variant.name += ":" + kernel.name();
      progress_.setKernel(made.variant.name);
      std::vector<std::string> result = kernel.result(shared_);
      if (firstName.empty()) {
        for (const std::string &line : kernel.description())
          fprintf(stderr, "kiln-bench: %s\n", line.c_str());
        first = result;
        firstName = made.variant.name;
        if (!request.check.reference.empty())
          right = reference(request, size);
      } else {
        made.note = countDifferent(result, first);
      }
      if (request.check.wanted()) {
        const auto must = expectedContents(request.check, right.empty() ? result : right, shared_);
        if (const std::string wrong = differences(result, must, shared_, request.check.tolerance); !wrong.empty())
          throw std::runtime_error(WrongResult + wrong);
        made.note += made.note.empty() ? "result checked" : "; result checked";
      }
      made.variant.run = [this, &kernel, name = made.variant.name](unsigned launches) {
        progress_.setKernel(name);
        return kernel.run(launches);
      };
      if (request.cold) {
        flush();
        made.cold.run = [this, &kernel, name = made.variant.name](unsigned) {
          progress_.setKernel(name);
          flush();
          return kernel.run(1);
        };
      }
    } catch (const std::exception &error) {
      made.error = error.what();
    }
    if (request.sizes.size() > 1)
      made.variant.name += "/" + spell(global);
    made.cold.name = made.variant.name + "/cold";
    all.push_back(std::move(made));
  }
  std::vector<Variant> running;
  for (const Candidate &one : all)
    if (one.error.empty())
      running.push_back(one.variant);
  const unsigned launches = launchesFor(running, SampleSeconds);
  for (Candidate &one : all)
    one.variant.launches = launches;
  restore(session_, shared_);
  return all;
}

std::vector<Candidate> Workplace::fromBundles(const Request &request) {
  std::vector<Candidate> all;
  for (const std::string &path : request.bundles) {
    Candidate made;
    made.variant.name = std::filesystem::path(path).filename().string();
    made.cold.name = made.variant.name + "/cold";
    progress_.setKernel(made.variant.name);
    bundles_.push_back(std::make_unique<Bundle>(Bundle::read(path)));
    try {
      memory_.push_back(std::make_unique<PlacedMemory>(*bundles_.back()));
      launches_.push_back(std::make_unique<BundleLaunch>(*bundles_.back(), *memory_.back(), session_.device,
                                                         BundleLaunch::Input::SourceIfAny));
      BundleLaunch &launch = *launches_.back();
      made.work.bytes = request.bytes.number ? request.bytes.of(1) : launch.bytes();
      made.work.operations = request.operations.of(1);
      auto once = [this, &launch, name = made.variant.name](bool cold) {
        progress_.setKernel(name);
        launch.restore();
        if (cold)
          flush();
        const auto start = std::chrono::steady_clock::now();
        launch.enqueue();
        launch.finish();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      };
      once(request.cold);
      const BundleLaunch::Comparison found = launch.compare();
      made.note = found.different ? std::to_string(found.different) + " of " + std::to_string(found.bytes) +
                                        " bytes differ from the bundle"
                                  : "same bits as the bundle";
      // Memory is restored before each launch, so each is a sample.
      made.variant.run = [once](unsigned) { return once(false); };
      if (request.cold)
        made.cold.run = [once](unsigned) { return once(true); };
    } catch (const std::exception &error) {
      made.error = error.what();
    }
    all.push_back(std::move(made));
  }
  return all;
}

} // namespace bench
