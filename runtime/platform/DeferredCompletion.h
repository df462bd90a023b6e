// A command that completes later than its stream has run it: a launch whose kernel enqueues, and an SVM free that calls
// the application's function.
#pragma once
#include "base/support/OpenCL.h"

namespace kiln {

/// Called once: when the last descendant of the launch is complete, with the first failure among them, or when the
/// application's function has returned.
class DeferredCompletion {
public:
  virtual void onDeferredComplete(cl_int code) noexcept = 0;

protected:
  ~DeferredCompletion() = default;
};

} // namespace kiln
