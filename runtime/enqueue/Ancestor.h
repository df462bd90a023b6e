// A launch from the host whose kernel enqueues.
#pragma once
#include "runtime/support/OpenCL.h"

namespace kiln {

/// Told once, when the last of the launch's descendants has ended: with the first failure among them.
class Ancestor {
public:
  virtual void descendantsEnded(cl_int code) noexcept = 0;

protected:
  ~Ancestor() = default;
};

} // namespace kiln
