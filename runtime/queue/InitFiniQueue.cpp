#include "runtime/queue/InitFiniQueue.h"
#include "base/support/Log.h"

namespace kiln {
namespace {

NDRange launchOf(const InitFiniKernel &run, const std::shared_ptr<const DeviceProgram> &program) {
  NDRange command;
  HostLaunch &launch = command.launch;
  launch.variant = std::const_pointer_cast<DeviceProgram>(program);
  launch.arguments = ArgumentBlock::create(run.info->argumentBytes);
  launch.setCode(run.function, run.info->plan, program);
  launch.grid.localBytes = run.info->plan.staticLocalBytes;
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

Result<Ref<Event>> InitFiniQueue::enqueueInitializers(const std::shared_ptr<const DeviceProgram> &program,
                                                      Context &context, DeviceObject &device) {
  InitFiniKernels &kernels = *program->initFiniKernels();
  Lock lock(kernels.mutex);
  if (!kernels.run)
    kernels.run = std::make_unique<InitFiniQueue>(KILN_TRY(Queue::create(context, device, 0, {})));
  auto &run = static_cast<InitFiniQueue &>(*kernels.run);
  // If an enqueue fails for lack of memory, the next launch continues with that initializer.
  const bool more = run.enqueued_ < kernels.initializers.size();
  for (; run.enqueued_ < kernels.initializers.size(); ++run.enqueued_)
    run.last_ = KILN_TRY(enqueue(*run.queue_, launchOf(kernels.initializers[run.enqueued_], program), run.last_));
  Ref<Queue> queue = run.queue_;
  Ref<Event> last = run.last_;
  lock.unlock();
  if (more)
    queue->flush();
  return last && last->executionStatus() != CL_COMPLETE ? last : Ref<Event>();
}

void InitFiniQueue::enqueueFinalizers(std::unique_ptr<const DeviceProgram> owned) noexcept {
  const InitFiniKernels &kernels = *owned->initFiniKernels();
  if (enqueued_ < kernels.initializers.size() || kernels.finalizers.empty())
    return;
  try {
    std::shared_ptr<const DeviceProgram> program(std::move(owned));
    for (const InitFiniKernel &finalizer : kernels.finalizers) {
      Result<Ref<Event>> event = enqueue(*queue_, launchOf(finalizer, program), last_);
      if (event.ok())
        last_ = *event;
      else
        KILN_LOG(Error, Program, "finalizer ", finalizer.info->name, " does not run: ", event.message());
    }
  } catch (const std::bad_alloc &) {
    KILN_LOG(Error, Program, "out of memory: a program's finalizers do not run");
  }
  queue_->flush();
}

} // namespace kiln
