#include "runtime/queue/OwnRuns.h"
#include "runtime/queue/Queue.h"
#include "runtime/support/Log.h"

namespace kiln {
namespace {

NDRange launchOf(const OwnRuns::Run &run, const std::shared_ptr<const DeviceProgram> &program) {
  NDRange command;
  KernelLaunch &launch = command.launch;
  launch.variant = std::const_pointer_cast<DeviceProgram>(program);
  launch.arguments = ArgumentBlock::create(run.info->argumentBytes);
  if (run.info->plan.prints)
    launch.output = std::make_unique<PrintfRun>(program);
  launch.launch.function = run.function;
  launch.launch.plan = &run.info->plan;
  launch.launch.arguments = launch.arguments->data;
  launch.launch.argumentBytes = launch.arguments->size;
  launch.launch.localBytes = run.info->plan.staticLocalBytes;
  launch.launch.programVariables = program->variables();
  return command;
}

/// Behind `last`, whose failure is its own; null is nothing.
Result<Ref<Event>> enqueue(Queue &queue, NDRange command, const Ref<Event> &last) {
  WaitList waits;
  if (last)
    waits.push_back(last);
  return queue.enqueueOwn(std::move(command), waits);
}

} // namespace

OwnRuns::OwnRuns(std::vector<Run> initialisers, std::vector<Run> finalisers)
    : initialisers_(std::move(initialisers)), finalisers_(std::move(finalisers)) {}

OwnRuns::~OwnRuns() = default;

Result<Ref<Event>> OwnRuns::initialise(const std::shared_ptr<const DeviceProgram> &program, Context &context,
                                       DeviceObject &device) {
  Lock lock(mutex_);
  if (!queue_)
    queue_ = KILN_TRY(Queue::create(context, device, 0, {}));
  // Where one cannot be enqueued, for want of memory, the next launch goes on from there.
  const bool more = enqueued_ < initialisers_.size();
  for (; enqueued_ < initialisers_.size(); ++enqueued_)
    last_ = KILN_TRY(enqueue(*queue_, launchOf(initialisers_[enqueued_], program), last_));
  Ref<Queue> queue = queue_;
  Ref<Event> last = last_;
  lock.unlock();
  if (more)
    queue->flush();
  return last && last->executionStatus() != CL_COMPLETE ? last : Ref<Event>();
}

void OwnRuns::finalise(std::unique_ptr<const DeviceProgram> owned) noexcept {
  OwnRuns &runs = *owned->ownRuns();
  Ref<Queue> queue;
  Ref<Event> last;
  {
    Lock lock(runs.mutex_);
    if (runs.enqueued_ == runs.initialisers_.size())
      queue = std::move(runs.queue_);
    last = std::move(runs.last_);
  }
  if (!queue || !runs.finalises())
    return;
  try {
    std::shared_ptr<const DeviceProgram> program(std::move(owned));
    for (const Run &run : runs.finalisers_) {
      Result<Ref<Event>> event = enqueue(*queue, launchOf(run, program), last);
      if (event.ok())
        last = *event;
      else
        KILN_LOG(Error, Program, "finaliser ", run.info->name, " does not run: ", event.message());
    }
  } catch (const std::bad_alloc &) {
    KILN_LOG(Error, Program, "there is no memory to run a program's finalisers");
  }
  queue->flush();
}

} // namespace kiln
