// The edge of libkiln: the one place where a Status becomes a cl_int and where exceptions end.
//   return api::enter("clFinish", [&]() -> Status { ... });
//   return api::create("clCreateBuffer", errcode, [&]() -> Result<cl_mem> { ... });
// Each call is a span of the trace; each failing call is a line of the log (KILN_LOG=warn,api) with the sentence that
// says what was wrong. An entry publishes what it returns (handles, events) after its last step that can fail.
#pragma once
#include "runtime/support/Log.h"
#include "runtime/support/Status.h"
#include "runtime/support/Trace.h"

namespace kiln::api {

/// "CL_INVALID_VALUE" for -30, "" for a code that OpenCL does not have.
const char *errorName(cl_int code);

/// Logs a failure; gives its code.
cl_int toErrorCode(const char *entry, const Status &status);

/// In a catch block: the code for the exception. libkiln throws nothing itself, but the C++ library does when memory is
/// short, and nothing may pass through a stranger's stack frames.
cl_int exceptionToErrorCode(const char *entry) noexcept;

template <typename Body> cl_int enter(const char *entry, Body &&body) noexcept {
  try {
    trace::Span span("api", entry);
    return toErrorCode(entry, body());
  } catch (...) {
    return exceptionToErrorCode(entry);
  }
}

/// For entries that return what they make and the code through a pointer that may be null.
template <typename Body> auto create(const char *entry, cl_int *errcode, Body &&body) noexcept {
  std::remove_cvref_t<decltype(body().value())> made{};
  cl_int code = enter(entry, [&]() -> Status {
    made = KILN_TRY(body());
    return {};
  });
  if (errcode)
    *errcode = code;
  return made;
}

} // namespace kiln::api
