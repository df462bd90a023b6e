#include "runtime/queue/Event.h"
#include "runtime/queue/Issue.h"
#include "runtime/queue/Queue.h"
#include "runtime/queue/ResidencyManager.h"
#include "runtime/support/Log.h"
#include "runtime/support/Thread.h"
#include "runtime/support/Trace.h"
#include <algorithm>
#include <cstdio>

namespace kiln {

namespace {
/// Returns true if the command may have work left after its stream has run it.
bool mayOutlastStream(Command &command) {
  if (auto *range = std::get_if<NDRange>(&command))
    return bool(range->launch.children);
  FreeMemory *free = asFreeMemory(command);
  return free && free->call;
}
} // namespace

Event::Event(Ref<Context> context, Ref<Queue> queue, Command command)
    : Object(Kind), EventNode(queue ? CL_QUEUED : CL_SUBMITTED), context_(std::move(context)), queue_(std::move(queue)),
      commandType_(queue_ ? kiln::commandType(command) : CL_COMMAND_USER),
      transfer_(std::holds_alternative<Transfer>(command)), outlastsStream_(mayOutlastStream(command)),
      command_(std::move(command)) {}

/// A callback. First in the event's list, then, when it is due, in the callback thread's list of tasks. The thread is
/// reserved when the listener is created, so that the call cannot fail later.
struct Event::Listener final : Task {
  Listener(cl_int state, Callback callback, void *userData) : state(state), callback(callback), userData(userData) {}
  ~Listener() override {
    if (reserved)
      callbackThread().unreserve();
  }
  void run() noexcept override { callback(event.get(), status < 0 ? status : state, userData); }

  const cl_int state;
  const Callback callback;
  void *const userData;
  bool reserved = false;
  Listener *next = nullptr;
  Ref<Event> event; // set when the callback is due
  cl_int status = 0;
};

void *Event::operator new(size_t size) {
  void *memory = FreeList<sizeof(Event)>::acquireFreed();
  return memory ? memory : handle_memory::acquire(size);
}

void Event::operator delete(Event *event, std::destroying_delete_t) {
  const bool rests = event->hadHandle();
  event->~Event();
  if (rests)
    handle_memory::release(event, sizeof(Event));
  else
    FreeList<sizeof(Event)>::release(event);
}

Event::~Event() {
  for (const Listeners &list : listeners_)
    for (Listener *next = list.first; next;)
      delete std::exchange(next, next->next);
}

void Event::reserveFences(size_t count) {
  if (!count)
    return;
  if (!fenceDependencies_)
    fenceDependencies_ = std::make_unique<FenceDependencies>();
  fenceDependencies_->after.reserve(fenceDependencies_->after.size() + count);
}

Ref<Event> Event::createUser(Context &context) { return Ref<Event>(new Event(&context, nullptr, Marker{false})); }

Status Event::setUserStatus(cl_int status) {
  if (!isUser())
    return fail(CL_INVALID_EVENT, "event is not a user event");
  if (status > CL_COMPLETE)
    return fail(CL_INVALID_VALUE, "execution_status is ", status, ", must be CL_COMPLETE or negative");
  cl_int expected = 0;
  // In a user event `failure_` only records that the status has been decided.
  if (!failure_.compare_exchange_strong(expected, 1))
    return fail(CL_INVALID_OPERATION, "the status of the user event has been set already");
  complete(status);
  return {};
}

void Event::lastHandleReleased() {
  // The application cannot complete the event any more, and its dependents must not hang.
  cl_int expected = 0;
  if (isUser() && failure_.compare_exchange_strong(expected, 1)) {
    KILN_LOG(Warn, Event, "a user event was released before its status was set");
    complete(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  }
}

bool Event::isFencedBehind(const Event &other) const {
  return fenceDependencies_ &&
         std::ranges::find(fenceDependencies_->after, &other, &Ref<Event>::get) != fenceDependencies_->after.end();
}

const char *Event::name() const { return transfer_ ? "transfer" : commandName(commandType_); }

Status Event::issue(Stream &stream) noexcept {
  try {
    return issueOrThrow(stream);
  } catch (const std::bad_alloc &) {
    setFailure(CL_OUT_OF_HOST_MEMORY);
    return fail(CL_OUT_OF_HOST_MEMORY, "out of memory while issuing the command");
  }
}

Status Event::issueOrThrow(Stream &stream) {
  const cl_int failed = failure();
  if (!failed)
    setStatus(CL_RUNNING);
  // A failed command also ends after its dependencies: a barrier, or clFinish, must cover every earlier command.
  Status status;
  if (fenceDependencies_)
    for (const std::shared_ptr<Fence> &fence : fenceDependencies_->fences)
      if (status.ok())
        status = stream.waitFence(*fence);
  if (failed)
    return fail(failed, "an event in the wait list failed");
  if (status.ok())
    status = issueCommand(command_, stream, stream_->device());
  if (!status.ok()) // for later commands that the device keeps in order
    setFailure(status.code());
  return status;
}

void Event::onEnded(cl_int code, uint64_t start, uint64_t end) noexcept {
  if (failure() && code == CL_SUCCESS)
    code = failure();
  startTime_.store(start, std::memory_order_relaxed);
  endTime_.store(end, std::memory_order_relaxed);
  completeTime_.store(end, std::memory_order_relaxed);
  if (auto *launch = std::get_if<NDRange>(&command_); launch && launch->launch.output && code == CL_SUCCESS)
    launch->launch.output->print(); // before the event is complete
  if (trace::enabled() && end && !transfer_)
    trace::ignoringBadAlloc([&] {
      auto *launch = std::get_if<NDRange>(&command_);
      const Kernel *kernel = launch ? launch->launch.kernel.get() : nullptr;
      trace::span("command", kernel ? kernel->name() : name(), start, end,
                  text("device ", queue_->device().label(), ": ", queue_->device().info().name));
    });
  if (!outlastsStream_ || code != CL_SUCCESS)
    return onComplete(code);
  if (FreeMemory *command = asFreeMemory(command_))
    SvmFreeCallback::start(std::move(command->call), *this);
  else
    std::get<NDRange>(command_).launch.children->startChildren(*this, *stream_);
}

void Event::onDeferredComplete(cl_int code) noexcept {
  if (needsTimes)
    completeTime_.store(nowNanoseconds(), std::memory_order_relaxed);
  onComplete(code);
}

void Event::onComplete(cl_int code) noexcept {
  if (pendingWrites_.load(std::memory_order_relaxed) || transfer_)
    context_->residencyManager()->onEventComplete(*this, code, startTime_.load(std::memory_order_relaxed),
                                                  endTime_.load(std::memory_order_relaxed));
  if (code < 0) {
    KILN_LOG(Info, Event, name(), " ended with ", code);
    if (auto *map = std::get_if<MapBuffer>(&command_))
      map->buffer->endMap(*map->buffer.object(), map->pointer);
    if (code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
      char message[64]; // std::string could throw
      std::snprintf(message, sizeof message, "%s failed with %d", name(), int(code));
      context_->report(message);
    }
  }
  if (FreeMemory *command = asFreeMemory(command_); command && code == CL_SUCCESS)
    for (const Ref<Allocation> &allocation : command->allocations)
      (void)context_->allocations().free(*allocation);
  command_ = Marker{false}; // releases the command's objects before the event is complete
  fenceDependencies_.reset();
  complete(code);
  if (!transfer_)
    queue_->onEventComplete(*this);
  decRef();
}

void Event::setStatus(cl_int status) noexcept {
  status_.store(uint32_t(status), std::memory_order_seq_cst);
  if (status <= CL_COMPLETE)
    waitQueue_.wake(status_);
  if (hasListeners_.load(std::memory_order_seq_cst))
    notifyListeners(status);
}

void Event::notifyListeners(cl_int status) noexcept {
  // Callbacks run in the order of the states, whatever the order of their registration.
  for (cl_int state = CL_SUBMITTED; state >= std::max(status, CL_COMPLETE); --state) {
    Listener *next;
    {
      Lock lock(listenerMutex_);
      next = std::exchange(listeners_[size_t(state)], {}).first;
    }
    while (next) {
      std::unique_ptr<Listener> listener(std::exchange(next, next->next));
      listener->event = Ref<Event>(this);
      listener->status = status;
      if (std::unique_ptr<Task> left = callbackThread().run(std::move(listener)))
        left->run(); // in the child of a fork that can get no callback thread
    }
  }
}

Status Event::addCallback(cl_int state, Callback callback, void *userData) {
  if (!callback)
    return fail(CL_INVALID_VALUE, "pfn_event_notify is null");
  if (state != CL_SUBMITTED && state != CL_RUNNING && state != CL_COMPLETE)
    return fail(CL_INVALID_VALUE, "command_exec_callback_type is ", state,
                ", must be CL_SUBMITTED, CL_RUNNING or CL_COMPLETE");
  auto listener = std::make_unique<Listener>(state, callback, userData);
  if (!callbackThread().reserve())
    return fail(CL_OUT_OF_RESOURCES, "the thread for callbacks cannot be started");
  listener->reserved = true;
  {
    Lock lock(listenerMutex_);
    Listeners &list = listeners_[size_t(state)];
    (list.last ? list.last->next : list.first) = listener.get();
    list.last = listener.release();
    hasListeners_.store(true, std::memory_order_seq_cst);
  }
  if (queue_ && !isComplete())
    queue_->flush(); // the application may have registered a callback instead of flushing
  // Either the thread that changes the status sees the listener, or this thread sees the status.
  notifyListeners(cl_int(status_.load(std::memory_order_seq_cst)));
  return {};
}

void Event::complete(cl_int status) {
  Ref<Event> self(this); // a callback may release the last handle of a user event
  setStatus(status);
  resolveComplete(status);
}

void Event::onReady() noexcept { queue_->onReady(*this); }

Result<cl_ulong> Event::profilingTime(cl_profiling_info which) const {
  if (which < CL_PROFILING_COMMAND_QUEUED || which > CL_PROFILING_COMMAND_COMPLETE)
    return fail(CL_INVALID_VALUE, "param_name 0x", std::hex, which, " is not a CL_PROFILING_COMMAND_* value");
  if (isUser() || !queue_->profiling())
    return fail(CL_PROFILING_INFO_NOT_AVAILABLE, "the event's queue was created without CL_QUEUE_PROFILING_ENABLE");
  if (commandType_ == CL_COMMAND_SVM_FREE)
    return fail(CL_PROFILING_INFO_NOT_AVAILABLE, "clEnqueueSVMFree commands have no profiling times");
  poll();
  if (executionStatus() != CL_COMPLETE)
    return fail(CL_PROFILING_INFO_NOT_AVAILABLE, "the event is not complete");
  switch (which) {
  case CL_PROFILING_COMMAND_QUEUED:
    return cl_ulong(queuedTime_.load());
  case CL_PROFILING_COMMAND_SUBMIT:
    return cl_ulong(submitTime_.load());
  case CL_PROFILING_COMMAND_START:
    return cl_ulong(startTime_.load());
  case CL_PROFILING_COMMAND_END:
    return cl_ulong(endTime_.load());
  default:
    return cl_ulong(completeTime_.load());
  }
}

cl_int Event::polledStatus() const {
  if (queue_ && !isComplete()) {
    queue_->flush();
    poll();
  }
  return executionStatus();
}

void Event::poll() const noexcept {
  const cl_int status = executionStatus();
  if ((status != CL_SUBMITTED && status != CL_RUNNING) || !stream_->hasFences())
    return;
  unsigned polls = 0;
  (*stream_)->progressUntil(
      {[](const void *count) { return (*static_cast<unsigned *>(const_cast<void *>(count)))++ > 0; }, &polls});
}

void Event::wait() noexcept {
  auto hasEnded = [this] { return isComplete(); };
  if (queue_ && !hasEnded()) {
    queue_->progressUntil({[](const void *event) { return static_cast<const Event *>(event)->isComplete(); }, this});
    if (!hasEnded())
      queue_->flush();
  }
  waitQueue_.wait(status_, hasEnded);
}

Status Event::waitFor(const WaitList &events) {
  Queue *last = nullptr;
  bool several = false;
  for (const Ref<Event> &event : events)
    if (Queue *queue = event->queue(); queue && !event->isComplete()) {
      several |= last && last != queue;
      last = queue;
    }
  if (several)
    for (const Ref<Event> &event : events)
      if (event->queue() && !event->isComplete())
        event->queue()->flush();
  for (const Ref<Event> &event : events)
    event->wait();
  for (const Ref<Event> &event : events)
    if (cl_int status = event->executionStatus(); status < 0)
      return fail(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an event failed with ", status);
  return {};
}

} // namespace kiln
