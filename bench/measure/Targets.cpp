#include "bench/measure/Targets.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

namespace bench {
namespace {

/// A sample of launches that need no restored memory lasts about this long.
constexpr double SampleSeconds = 2e-3;

std::string countDifferent(const std::string &one, const std::string &other) {
  size_t different = 0;
  for (size_t i = 0; i < one.size(); ++i)
    different += one[i] != other[i];
  return different ? std::to_string(different) + " of " + std::to_string(one.size()) + " bytes differ"
                   : std::string("same bits");
}

} // namespace

std::vector<TargetDevice> targetDevices(const std::string &platform, const std::string &device) {
  std::vector<TargetDevice> all;
  cl_uint count = 0;
  clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(count);
  if (count)
    check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  std::string names;
  for (cl_platform_id one : platforms) {
    const std::string platformName = text(clGetPlatformInfo, one, CL_PLATFORM_NAME);
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

std::vector<Candidate> Workplace::fromSources(const Request &request) {
  std::vector<Candidate> all;
  std::string expected, first;
  for (const Source &source : request.sources) {
    Candidate made;
    made.variant.name = std::filesystem::path(source.path).filename().string();
    if (std::ranges::count(request.sources, source.path, &Source::path) > 1)
      made.variant.name += "#" + std::to_string(all.size() + 1);
    try {
      kernels_.push_back(std::make_unique<SourceKernel>(session_, source, request, buffers_));
      const SourceKernel &kernel = *kernels_.back();
      made.bytes = request.bytes ? request.bytes : kernel.bytes();
      made.variant.name += ":" + kernel.name();
      const std::string result = kernel.result(buffers_);
      if (first.empty()) {
        for (const std::string &line : kernel.description())
          fprintf(stderr, "kiln-bench: %s\n", line.c_str());
        expected = result;
        first = made.variant.name;
      } else {
        made.note = countDifferent(result, expected);
      }
      made.variant.run = [&kernel](unsigned launches) { return kernel.run(launches); };
    } catch (const std::exception &error) {
      made.error = error.what();
    }
    all.push_back(std::move(made));
  }
  std::vector<Variant> running;
  for (const Candidate &one : all)
    if (one.error.empty())
      running.push_back(one.variant);
  const unsigned launches = launchesFor(running, SampleSeconds);
  for (Candidate &one : all)
    one.variant.launches = launches;
  if (!kernels_.empty())
    kernels_.back()->restore(buffers_);
  return all;
}

std::vector<Candidate> Workplace::fromBundles(const std::vector<std::string> &paths) {
  std::vector<Candidate> all;
  for (const std::string &path : paths) {
    Candidate made;
    made.variant.name = std::filesystem::path(path).filename().string();
    bundles_.push_back(std::make_unique<Bundle>(Bundle::read(path)));
    try {
      memory_.push_back(std::make_unique<PlacedMemory>(*bundles_.back()));
      launches_.push_back(std::make_unique<BundleLaunch>(*bundles_.back(), *memory_.back(), session_.device,
                                                         BundleLaunch::Input::SourceIfAny));
      BundleLaunch &launch = *launches_.back();
      made.bytes = launch.bytes();
      auto once = [&launch] {
        launch.restore();
        const auto start = std::chrono::steady_clock::now();
        launch.enqueue();
        launch.finish();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      };
      once();
      const BundleLaunch::Comparison found = launch.compare();
      made.note = found.different ? std::to_string(found.different) + " of " + std::to_string(found.bytes) +
                                        " bytes differ from the bundle"
                                  : "same bits as the bundle";
      // Memory is restored before each launch, so each is a sample.
      made.variant.run = [once](unsigned) { return once(); };
    } catch (const std::exception &error) {
      made.error = error.what();
    }
    all.push_back(std::move(made));
  }
  return all;
}

} // namespace bench
