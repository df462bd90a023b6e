// The initializers and finalizers of a program (SPIR-V's execution modes Initializer and Finalizer). The runtime
// launches the initializers on a device before the program's first kernel there, and the finalizers when the program is
// destroyed, each as one work-item.
//
// They are commands of a private queue of the program, so they are nodes of the event graph. A command that runs a
// kernel of the program gets the last initializer's event as an additional dependency; no call blocks. The initializers
// depend on no command of the application. If one fails, the dependent kernels fail as they would for an event of their
// wait list.
//
// Finalizers run on the queue of the initializers, and only if all initializers were enqueued. They keep the program's
// code alive until they have ended. No command waits for them; the program's release callbacks run after them.
#pragma once
#include "runtime/program/DeviceProgram.h"

namespace kiln {

class Context;
class Event;
class Queue;

struct InitFiniKernel {
  const KernelInfo *info;
  Function *function;
};

class InitFiniKernels {
public:
  InitFiniKernels(std::vector<InitFiniKernel> initializers, std::vector<InitFiniKernel> finalizers);
  ~InitFiniKernels();

  bool hasInitializers() const { return !initializers_.empty(); }
  bool hasFinalizers() const { return !finalizers_.empty(); }

  /// Enqueues the initializers unless an earlier call has. Returns the event that a kernel of the program must wait
  /// for, or null.
  Result<Ref<Event>> enqueueInitializers(const std::shared_ptr<const DeviceProgram> &program, Context &context,
                                         DeviceObject &device) KILN_EXCLUDES(mutex_);
  /// Enqueues the finalizers of `program`, which owns this object and has no other user. The program is destroyed when
  /// they have ended.
  static void enqueueFinalizers(std::unique_ptr<const DeviceProgram> program) noexcept;

private:
  const std::vector<InitFiniKernel> initializers_, finalizers_;
  Mutex mutex_;
  Ref<Queue> queue_ KILN_GUARDED_BY(mutex_);    // from the first launch on
  size_t enqueued_ KILN_GUARDED_BY(mutex_) = 0; // of the initializers
  Ref<Event> last_ KILN_GUARDED_BY(mutex_);     // of these
};

} // namespace kiln
