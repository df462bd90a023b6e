#include "runtime/queue/Event.h"
#include "base/support/Log.h"
#include "base/support/Trace.h"
#include "runtime/queue/Queue.h"
#include <algorithm>

namespace kiln {

Event::Event(Ref<Context> context, Ref<Queue> queue, cl_command_type type)
    : Object(Kind), EventNode(queue ? CL_QUEUED : CL_SUBMITTED), context_(std::move(context)), queue_(std::move(queue)),
      commandType_(type) {}

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

Event::~Event() {
  if (isUser() && context_->termination())
    context_->removeUserEvent(*this);
  for (const Listeners &list : listeners_)
    for (Listener *next = list.first; next;)
      delete std::exchange(next, next->next);
}

const char *Event::name() const { return commandName(commandType_); }

Ref<Event> Event::createUser(Context &context) {
  Ref<Event> event(new Event(&context, nullptr, CL_COMMAND_USER));
  if (context.termination())
    context.addUserEvent(*event, [](Object &object) { static_cast<Event &>(object).endWithContext(); });
  return event;
}

// In a user event `failure_` only records who has decided the status.
static constexpr cl_int ByApplication = 1, ByTermination = 2;

void Event::endWithContext() noexcept {
  if (cl_int undecided = 0; failure_.compare_exchange_strong(undecided, ByTermination))
    complete(CL_CONTEXT_TERMINATED_KHR);
}

Status Event::setUserStatus(cl_int status) {
  if (!isUser())
    return fail(CL_INVALID_EVENT, "event is not a user event");
  if (status > CL_COMPLETE)
    return fail(CL_INVALID_VALUE, "execution_status is ", status, ", must be CL_COMPLETE or negative");
  cl_int decided = 0;
  if (failure_.compare_exchange_strong(decided, ByApplication)) {
    complete(status);
    return {};
  }
  // The application may set the status after the termination, which has decided it.
  if (decided == ByTermination && failure_.compare_exchange_strong(decided, ByApplication))
    return {};
  return fail(CL_INVALID_OPERATION, "the status of the user event has been set already");
}

void Event::lastHandleReleased() {
  // The application cannot complete the event any more, and its dependents must not hang.
  cl_int undecided = 0;
  if (isUser() && failure_.compare_exchange_strong(undecided, ByApplication)) {
    KILN_LOG(Warn, Event, "a user event was released before its status was set");
    complete(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  }
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

void Event::complete(cl_int status) noexcept {
  Ref<Event> self(this); // a callback may release the last handle of a user event
  setStatus(status);
  resolveComplete(status);
}

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
  const CommandTimes &times = *commandTimes();
  switch (which) {
  case CL_PROFILING_COMMAND_QUEUED:
    return cl_ulong(times.queued.load());
  case CL_PROFILING_COMMAND_SUBMIT:
    return cl_ulong(times.submit.load());
  case CL_PROFILING_COMMAND_START:
    return cl_ulong(times.start.load());
  case CL_PROFILING_COMMAND_END:
    return cl_ulong(times.end.load());
  default:
    return cl_ulong(times.complete.load());
  }
}

cl_int Event::polledStatus() const {
  if (queue_ && !isComplete()) {
    queue_->flush();
    poll();
  }
  return executionStatus();
}

void Event::wait() noexcept {
  auto hasEnded = [this] { return isComplete(); };
  if (queue_ && !hasEnded()) {
    queue_->scheduler().progressUntil(
        {[](const void *event) { return static_cast<const Event *>(event)->isComplete(); }, this});
    if (!hasEnded())
      queue_->flush();
  }
  waitQueue_.wait(status_, hasEnded);
  if (queue_ && trace::enabled())
    trace::ignoringBadAlloc([&] { trace::awaited(*queue_); });
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
