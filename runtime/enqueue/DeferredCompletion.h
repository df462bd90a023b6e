// A command whose work goes on when its stream has run it: a launch whose kernel enqueues, and freeing that is left to
// a function of the application.
#pragma once
#include "runtime/support/OpenCL.h"

namespace kiln {

/// Told once, when the last of the launch's descendants has ended, with the first failure among them, or when the
/// application's function has returned.
class DeferredCompletion {
public:
  virtual void onDeferredComplete(cl_int code) noexcept = 0;

protected:
  ~DeferredCompletion() = default;
};

} // namespace kiln
