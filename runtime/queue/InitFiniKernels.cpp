#include "runtime/queue/InitFiniKernels.h"
#include "runtime/queue/Queue.h"
#include "runtime/support/Log.h"

namespace kiln {
namespace {

NDRange launchOf(const InitFiniKernel &run, const std::shared_ptr<const DeviceProgram> &program) {
  NDRange command;
  KernelLaunch &launch = command.launch;
  launch.variant = std::const_pointer_cast<DeviceProgram>(program);
  launch.arguments = ArgumentBlock::create(run.info->argumentBytes);
  launch.setCode(run.function, run.info->plan, program);
  launch.launch.localBytes = run.info->plan.staticLocalBytes;
  return command;
}

/// Enqueues the command after `last`, whose failure it takes over; `last` may be null.
Result<Ref<Event>> enqueue(Queue &queue, NDRange command, const Ref<Event> &last) {
  WaitList waits;
  if (last)
    waits.push_back(last);
  return queue.enqueueInternal(std::move(command), waits);
}

} // namespace

InitFiniKernels::InitFiniKernels(std::vector<InitFiniKernel> initializers, std::vector<InitFiniKernel> finalizers)
    : initializers_(std::move(initializers)), finalizers_(std::move(finalizers)) {}

InitFiniKernels::~InitFiniKernels() = default;

Result<Ref<Event>> InitFiniKernels::enqueueInitializers(const std::shared_ptr<const DeviceProgram> &program,
                                                        Context &context, DeviceObject &device) {
  Lock lock(mutex_);
  if (!queue_)
    queue_ = KILN_TRY(Queue::create(context, device, 0, {}));
  // If an enqueue fails for lack of memory, the next launch continues with that initializer.
  const bool more = enqueued_ < initializers_.size();
  for (; enqueued_ < initializers_.size(); ++enqueued_)
    last_ = KILN_TRY(enqueue(*queue_, launchOf(initializers_[enqueued_], program), last_));
  Ref<Queue> queue = queue_;
  Ref<Event> last = last_;
  lock.unlock();
  if (more)
    queue->flush();
  return last && last->executionStatus() != CL_COMPLETE ? last : Ref<Event>();
}

void InitFiniKernels::enqueueFinalizers(std::unique_ptr<const DeviceProgram> owned) noexcept {
  InitFiniKernels &runs = *owned->initFiniKernels();
  Ref<Queue> queue;
  Ref<Event> last;
  {
    Lock lock(runs.mutex_);
    if (runs.enqueued_ == runs.initializers_.size())
      queue = std::move(runs.queue_);
    last = std::move(runs.last_);
  }
  if (!queue || !runs.hasFinalizers())
    return;
  try {
    std::shared_ptr<const DeviceProgram> program(std::move(owned));
    for (const InitFiniKernel &run : runs.finalizers_) {
      Result<Ref<Event>> event = enqueue(*queue, launchOf(run, program), last);
      if (event.ok())
        last = *event;
      else
        KILN_LOG(Error, Program, "finalizer ", run.info->name, " does not run: ", event.message());
    }
  } catch (const std::bad_alloc &) {
    KILN_LOG(Error, Program, "out of memory: a program's finalizers do not run");
  }
  queue->flush();
}

} // namespace kiln
