#include "api/Enter.h"
#include "base/support/Options.h"
#include <exception>
#include <new>
#include <stdexcept>

namespace kiln::api {

const char *errorName(cl_int code) {
  switch (code) {
#define KILN_ERROR(name)                                                                                               \
  case name:                                                                                                           \
    return #name;
#include "api/spec/Errors.def"
  }
  return "";
}

cl_int toErrorCode(const char *entry, const Status &status) {
  if (!status.ok())
    KILN_LOG(Warn, Api, entry, ": ", errorName(status.code()), " (", status.code(), "): ", status.message());
  return status.code();
}

uint64_t shortestWritten(std::string_view entry) {
  for (std::string_view kind : {"clGet", "clRetain", "clRelease"})
    if (entry.starts_with(kind) && !options().traceQueries)
      return 10'000;
  return 0;
}

cl_int exceptionToErrorCode(const char *entry) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    return CL_OUT_OF_HOST_MEMORY;
  } catch (const std::length_error &) {
    return CL_OUT_OF_HOST_MEMORY; // a size above a container's max_size()
  } catch (...) {
    return CL_OUT_OF_RESOURCES;
  }
}

} // namespace kiln::api
