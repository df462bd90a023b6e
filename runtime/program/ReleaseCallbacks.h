// The callbacks of clSetProgramReleaseCallback. The program and its code on each device share this object, so it is
// destroyed after all of them, finalizers included; then the callbacks run, last registered first.
#pragma once
#include "base/support/Mutex.h"
#include "base/support/OpenCL.h"
#include <vector>

namespace kiln {

class ReleaseCallbacks {
public:
  using Callback = void(CL_CALLBACK *)(cl_program program, void *userData);

  explicit ReleaseCallbacks(cl_program program) : program_(program) {}
  ReleaseCallbacks(const ReleaseCallbacks &) = delete;
  ReleaseCallbacks &operator=(const ReleaseCallbacks &) = delete;
  ~ReleaseCallbacks() {
    for (auto it = callbacks_.rbegin(); it != callbacks_.rend(); ++it)
      it->first(program_, it->second);
  }

  void add(Callback callback, void *userData) KILN_EXCLUDES(mutex_) {
    Lock lock(mutex_);
    callbacks_.emplace_back(callback, userData);
  }

private:
  const cl_program program_; // an invalid handle when the callbacks receive it, as OpenCL specifies
  Mutex mutex_;
  std::vector<std::pair<Callback, void *>> callbacks_; // guarded by `mutex_`, except in the destructor
};

} // namespace kiln
