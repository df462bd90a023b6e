#include "bench/measure/SourceKernel.h"
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

} // namespace

SourceKernel::Built SourceKernel::build(const Session &session, const Source &source, const Request &request) {
  Built built;
  built.program = session.build(contentOf(source.path), (source.options + " -cl-kernel-arg-info").c_str());
  built.name = chooseKernel(built.program, request.kernel);
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
