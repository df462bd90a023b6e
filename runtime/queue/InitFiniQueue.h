// Runs the initializers and finalizers of a program on one device: the initializers before the program's first kernel
// there, and the finalizers when the program is destroyed, each as one work-item.
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
#include "runtime/program/InitFiniKernels.h"
#include "runtime/queue/Queue.h"

namespace kiln {

class InitFiniQueue final : public InitFiniRun {
public:
  /// Enqueues the initializers unless an earlier call has. Returns the event that a kernel of the program must wait
  /// for, or null.
  static Result<Ref<Event>> enqueueInitializers(const std::shared_ptr<const DeviceProgram> &program, Context &context,
                                                DeviceObject &device);
  void enqueueFinalizers(std::unique_ptr<const DeviceProgram> program) noexcept override;

  explicit InitFiniQueue(Ref<Queue> queue) : queue_(std::move(queue)) {}

private:
  // Guarded by InitFiniKernels::mutex until the program is destroyed.
  const Ref<Queue> queue_;
  size_t enqueued_ = 0; // of the initializers
  Ref<Event> last_;     // of these
};

} // namespace kiln
