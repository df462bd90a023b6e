#include "bench/measure/SourceKernel.h"
#include "bench/opencl/TemporaryFolder.h"
#include <chrono>
#include <fstream>
#include <iterator>

namespace bench {
namespace {

std::string contentOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error(path + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The kernel to measure: the one that is named, or the only one.
std::string chooseKernel(cl_program program, const std::string &named) {
  if (!named.empty())
    return named;
  std::string names = text(clGetProgramInfo, program, CL_PROGRAM_KERNEL_NAMES);
  if (names.empty())
    throw std::runtime_error("the source has no kernel");
  if (names.find(';') != std::string::npos)
    throw std::runtime_error("the source has several kernels (" + names + "); --kernel chooses one");
  return names;
}

bool isKiln(cl_device_id device) {
  cl_platform_id platform = nullptr;
  check(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr), "clGetDeviceInfo");
  return bench::text(clGetPlatformInfo, platform, CL_PLATFORM_NAME) == "Kiln";
}

/// A temporary folder with a schedule of one kernel (docs/schedules.md). Only the device's target reads it.
class ScheduleFolder : public TemporaryFolder {
public:
  ScheduleFolder(const std::string &kernel, const std::string &passes) : TemporaryFolder("kiln-bench") {
    const char *const suffix = passes.find("transform.named_sequence") == std::string::npos ? ".pipeline" : ".mlir";
    for (const char *target : {".cpu", ".nvptx", ".amdgpu"})
      if (!(std::ofstream(path() + "/" + kernel + target + suffix) << passes).flush())
        throw std::runtime_error("cannot write to " + path());
  }
};

} // namespace

SourceKernel::Built SourceKernel::build(const Session &session, const Source &source, const Request &request) {
  Built built;
  const std::string text = contentOf(source.path), options = source.options + " -cl-kernel-arg-info";
  built.program = session.build(text, options.c_str());
  built.name = chooseKernel(built.program, request.kernel);
  if (!source.pipeline.empty()) {
    if (!isKiln(session.device))
      throw std::runtime_error("a pipeline of Kiln's passes needs a device of Kiln");
    const ScheduleFolder folder(built.name, source.pipeline);
    built.program = session.build(text, (options + " -kiln-schedules=\"" + folder.path() + "\"").c_str());
  }
  built.kernel = session.kernel(built.program, built.name.c_str());
  return built;
}

SourceKernel::SourceKernel(const Session &session, const Source &source, const Request &request, const LaunchSize &size,
                           SharedArguments &shared)
    : session_(session), size_(size), built_(build(session, source, request)),
      setter_(session, built_.kernel, size_, shared) {
  setter_.setAll(request.arguments);
}

double SourceKernel::run(unsigned launches) const {
  const auto start = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < launches; ++i)
    check(clEnqueueNDRangeKernel(session_.queue, built_.kernel, cl_uint(size_.global.size()), nullptr,
                                 size_.global.data(), size_.local.empty() ? nullptr : size_.local.data(), 0, nullptr,
                                 nullptr),
          "clEnqueueNDRangeKernel");
  session_.finish();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<std::string> SourceKernel::result(const SharedArguments &shared) const {
  restore(session_, shared);
  run(1);
  return contents(session_, shared);
}

} // namespace bench
