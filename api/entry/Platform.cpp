// Chapter 4.1: platforms, and the entries for the ICD loader.
#include "api/entry/Entry.h"
#include "api/spec/Dispatch.h"
#include "base/support/Profile.h"
#include "runtime/compiler/Compiler.h"
#include <ctime>

using namespace kiln;
using namespace kiln::api;

namespace {

Status listPlatforms(cl_uint capacity, cl_platform_id *platforms, cl_uint *count) {
  KILN_TRY(checkList(capacity, platforms, count));
  writeList(std::array<cl_platform_id, 1>{&check::kilnPlatform()}, capacity, platforms, count);
  return {};
}

cl_ulong hostTimerResolution() {
  timespec step{};
  clock_getres(CLOCK_MONOTONIC, &step);
  return cl_ulong(step.tv_sec) * 1'000'000'000 + cl_ulong(step.tv_nsec);
}

} // namespace

cl_int CL_API_CALL clGetPlatformIDs(cl_uint numEntries, cl_platform_id *platforms, cl_uint *numPlatforms) {
  return enter("clGetPlatformIDs", [&] { return listPlatforms(numEntries, platforms, numPlatforms); });
}

extern "C" cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint numEntries, cl_platform_id *platforms,
                                                     cl_uint *numPlatforms) {
  return enter("clIcdGetPlatformIDsKHR", [&] { return listPlatforms(numEntries, platforms, numPlatforms); });
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id handle, cl_platform_info param, size_t size, void *value,
                                     size_t *sizeRet) {
  return enter("clGetPlatformInfo", [&]() -> Status {
    Platform *found;
    KILN_TRY(check::platformOrNull(handle, found));
    Platform &platform = *found;
    InfoWriter writer(size, value, sizeRet);
    switch (param) {
#define KILN_PLATFORM_QUERY(...) KILN_QUERY_CASE(__VA_ARGS__)
#include "api/spec/Queries.def"
    }
    return writer.unknownParam(param);
  });
}

void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name) {
  return name && platform == &check::kilnPlatform() ? entryNamed(name) : nullptr;
}

void *CL_API_CALL clGetExtensionFunctionAddress(const char *name) { return name ? entryNamed(name) : nullptr; }

cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id handle) {
  // The next build starts the compiler processes again.
  return enter("clUnloadPlatformCompiler", [&]() -> Status {
    KILN_TRY(check::object<Platform>(handle));
    Compiler::get().stop();
    return {};
  });
}

cl_int CL_API_CALL clUnloadCompiler() {
  return enter("clUnloadCompiler", []() -> Status {
    Compiler::get().stop();
    return {};
  });
}
