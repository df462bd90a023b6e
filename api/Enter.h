// The boundary of libkiln: converts a Status to a cl_int and stops exceptions.
//   return api::enter("clFinish", [&]() -> Status { ... });
//   return api::create("clCreateBuffer", errcode, [&]() -> Result<cl_mem> { ... });
// Each call is a span of the trace, except calls that applications poll with (`enterUntraced`). Each failed call writes
// its message to the log (KILN_LOG=warn,api). An entry writes its results (handles, events) after its last step that
// can fail.
#pragma once
#include "base/support/Log.h"
#include "base/support/Status.h"
#include "base/support/Trace.h"

namespace kiln::api {

/// "CL_INVALID_VALUE" for -30; "" for a code that OpenCL does not define.
const char *errorName(cl_int code);

/// Logs a failure. Returns the code.
cl_int toErrorCode(const char *entry, const Status &status);

/// The duration in nanoseconds from which on the trace has a call of the entry: those that only query, retain or
/// release would hide the others.
uint64_t shortestWritten(std::string_view entry);

/// Call in a catch block. Returns the code for the exception. libkiln and the C++ library throw std::bad_alloc when
/// memory is short, and exceptions must not unwind the application's stack frames.
cl_int exceptionToErrorCode(const char *entry) noexcept;

/// For calls that applications repeat until an event has ended. A span for each would write megabytes per second, and
/// the polling thread would hold the trace's lock most of the time.
template <typename Body> cl_int enterUntraced(const char *entry, Body &&body) noexcept {
  try {
    return toErrorCode(entry, body());
  } catch (...) {
    return exceptionToErrorCode(entry);
  }
}

template <typename Body> cl_int enter(const char *entry, Body &&body) noexcept {
  return enterUntraced(entry, [&]() -> Status {
    trace::Span span("api", entry, trace::enabled() ? shortestWritten(entry) : 0);
    return body();
  });
}

/// For entries that return an object, and the code through a pointer that may be null.
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
