// The initializers and finalizers of a program on one device (SPIR-V's execution modes Initializer and Finalizer).
// InitFiniQueue (runtime/queue) runs them.
#pragma once
#include "backends/Device.h"
#include "base/support/Mutex.h"
#include <vector>

namespace kiln {

class DeviceProgram;

struct InitFiniKernel {
  const KernelInfo *info;
  Function *function;
};

/// What has been enqueued of them.
class InitFiniRun {
public:
  virtual ~InitFiniRun() = default;
  /// Enqueues the finalizers of `program`, which has no other user. The program is destroyed when they have ended.
  virtual void enqueueFinalizers(std::unique_ptr<const DeviceProgram> program) noexcept = 0;
};

struct InitFiniKernels {
  InitFiniKernels(std::vector<InitFiniKernel> initializers, std::vector<InitFiniKernel> finalizers)
      : initializers(std::move(initializers)), finalizers(std::move(finalizers)) {}

  const std::vector<InitFiniKernel> initializers, finalizers;
  Mutex mutex;
  std::unique_ptr<InitFiniRun> run KILN_GUARDED_BY(mutex); // from the first launch on
};

} // namespace kiln
