#include "runtime/queue/Event.h"
#include "runtime/queue/Queue.h"
#include "runtime/support/Log.h"
#include "runtime/support/Thread.h"
#include "runtime/support/Trace.h"
#include <algorithm>

namespace kiln {
namespace {

Region hostRegion(const void *host, const Layout &layout, const Extent &extent) {
  Region region;
  region.host = static_cast<std::byte *>(const_cast<void *>(host));
  region.offset = layout.offset;
  region.extent = extent;
  region.rowPitch = layout.rowPitch ? layout.rowPitch : extent[0];
  region.slicePitch = layout.slicePitch ? layout.slicePitch : region.rowPitch * extent[1];
  return region;
}

/// Turns a command into what a stream does.
struct Issue {
  Stream &stream;
  const DeviceObject &device;

  Result<Region> in(Buffer &buffer, const Layout &layout, const Extent &extent) {
    return buffer.region(device, layout.offset, extent, layout.rowPitch, layout.slicePitch);
  }
  Status operator()(Marker &) { return {}; }
  Status operator()(Barrier &) { return {}; }
  Status operator()(ReadBuffer &c) {
    Region from = KILN_TRY(in(*c.buffer, c.from, c.extent));
    return stream.copy(hostRegion(c.host, c.to, c.extent), from);
  }
  Status operator()(WriteBuffer &c) {
    Region to = KILN_TRY(in(*c.buffer, c.to, c.extent));
    return stream.copy(to, hostRegion(c.host, c.from, c.extent));
  }
  Status operator()(CopyBuffer &c) {
    Region from = KILN_TRY(in(*c.source, c.from, c.extent));
    Region to = KILN_TRY(in(*c.destination, c.to, c.extent));
    return stream.copy(to, from);
  }
  Status operator()(FillBuffer &c) {
    Region to = KILN_TRY(in(*c.buffer, {c.offset}, {c.size, 1, 1}));
    return stream.fill(to, std::span(c.pattern).first(c.patternSize));
  }
  // Storage that host and device share needs nothing to be mapped or moved.
  Status operator()(MapBuffer &) { return {}; }
  Status operator()(UnmapMem &) { return {}; }
  Status operator()(Migrate &) { return {}; }
  Status operator()(NDRange &c) {
    if (std::ranges::any_of(c.launch.launch.globalSize, [](uint64_t size) { return size == 0; }))
      return {};
    return stream.launch(c.launch.launch);
  }
  Status operator()(NativeKernel &c) {
    c.function(c.hasArguments ? c.arguments.data() : nullptr);
    return {};
  }
};

} // namespace

// Stands in `dependents_` once the node has ended: nobody can be added behind it.
#define KILN_CLOSED reinterpret_cast<Edge *>(uintptr_t(1))

Event::Event(Ref<Context> context, Ref<Queue> queue, Command command)
    : Object(Kind), context_(std::move(context)), queue_(std::move(queue)),
      commandType_(queue_ ? kiln::commandType(command) : CL_COMMAND_USER),
      status_(uint32_t(queue_ ? CL_QUEUED : CL_SUBMITTED)), command_(std::move(command)) {}

Event::~Event() = default;

Ref<Event> Event::createUser(Context &context) { return Ref<Event>(new Event(&context, nullptr, Marker{false})); }

Status Event::setUserStatus(cl_int status) {
  if (!isUser())
    return fail(CL_INVALID_EVENT, "the event is no user event");
  if (status > CL_COMPLETE)
    return fail(CL_INVALID_VALUE, "status ", status, " is neither CL_COMPLETE nor negative");
  cl_int expected = 0;
  // `failure_` has no other use in a user event: it says that somebody has decided the status.
  if (!failure_.compare_exchange_strong(expected, 1))
    return fail(CL_INVALID_OPERATION, "the status of the user event has been set already");
  finish(status);
  return {};
}

void Event::lastHandleReleased() {
  // Nobody can complete the event any more. What waits for it must not hang.
  cl_int expected = 0;
  if (isUser() && failure_.compare_exchange_strong(expected, 1)) {
    KILN_LOG(Warn, Event, "a user event was released before its status was set");
    finish(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  }
}

void Event::dependOn(Event &dependency, Edge &edge, bool counted) {
  edge.dependent = this;
  edge.counted = counted;
  hold();
  if (counted)
    open_.fetch_add(1, std::memory_order_relaxed);
  Edge *first = dependency.dependents_.load(std::memory_order_acquire);
  do {
    if (first == KILN_CLOSED) {
      if (cl_int status = dependency.executionStatus(); status < 0)
        dependencyFailed(status);
      if (counted)
        open_.fetch_sub(1, std::memory_order_relaxed); // never the last: the enqueue counts too
      drop();
      return;
    }
    edge.next = first;
  } while (!dependency.dependents_.compare_exchange_weak(first, &edge, std::memory_order_release,
                                                         std::memory_order_acquire));
}

void Event::dependencyFailed(cl_int code) {
  failure_.store(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, std::memory_order_relaxed);
  KILN_LOG(Info, Event, commandName(commandType_), " ends unexecuted: what it waits for failed with ", code);
}

Status Event::issue(Stream &stream) {
  if (cl_int failure = failure_.load(std::memory_order_relaxed))
    return fail(failure, "an event in the wait list failed");
  advance(CL_RUNNING);
  return std::visit(Issue{stream, queue_->device()}, command_);
}

void Event::ended(cl_int code, uint64_t start, uint64_t end) {
  if (cl_int failure = failure_.load(std::memory_order_relaxed); failure && code == CL_SUCCESS)
    code = failure;
  startTime_.store(start, std::memory_order_relaxed);
  endTime_.store(end, std::memory_order_relaxed);
  if (trace::enabled() && end) {
    auto *kernel = std::get_if<NDRange>(&command_);
    trace::span("command", kernel ? kernel->launch.kernel->name() : commandName(commandType_), start, end,
                text("device ", queue_->device().index(), ": ", queue_->device().info().name));
  }
  if (code < 0) {
    KILN_LOG(Info, Event, commandName(commandType_), " ended with ", code);
    if (auto *map = std::get_if<MapBuffer>(&command_))
      map->buffer->endMap(map->pointer);
    if (code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
      context_->report(text(commandName(commandType_), " failed with ", code));
  }
  command_ = Marker{false}; // drops what it held, before anybody learns that it has ended
  finish(code);
  queue_->eventEnded(*this);
  drop();
}

void Event::advance(cl_int status) {
  status_.store(uint32_t(status), std::memory_order_seq_cst);
  if (status <= CL_COMPLETE)
    sleepers_.wake(status_);
  if (hasListeners_.load(std::memory_order_seq_cst))
    tellListeners(status);
}

void Event::tellListeners(cl_int status) {
  std::vector<Listener> due;
  {
    Lock lock(listenerMutex_);
    std::vector<Listener> later;
    for (const Listener &listener : listeners_)
      (listener.state < status ? later : due).push_back(listener);
    listeners_.swap(later);
  }
  if (due.empty())
    return;
  // A later state comes after an earlier one, whatever order they were asked for in.
  std::ranges::sort(due, std::greater(), &Listener::state);
  callbackThread().run([self = Ref<Event>(this), status, due = std::move(due)] {
    for (const Listener &listener : due)
      listener.callback(self.get(), status < 0 ? status : listener.state, listener.userData);
  });
}

Status Event::addCallback(cl_int state, Callback callback, void *userData) {
  if (!callback)
    return fail(CL_INVALID_VALUE, "the callback is null");
  if (state != CL_SUBMITTED && state != CL_RUNNING && state != CL_COMPLETE)
    return fail(CL_INVALID_VALUE, state, " is no state that a callback can wait for");
  {
    Lock lock(listenerMutex_);
    listeners_.push_back({state, callback, userData});
    hasListeners_.store(true, std::memory_order_seq_cst);
  }
  if (queue_ && !ended())
    queue_->flush(); // who asks for a call does not always remember to
  // Either the thread that changes the status sees the listener, or this sees the status.
  tellListeners(cl_int(status_.load(std::memory_order_seq_cst)));
  return {};
}

void Event::finish(cl_int status) {
  // The status first: whoever finds the list closed reads it.
  Ref<Event> self(this); // a listener may release the last handle of a user event
  advance(status);
  releaseDependents(status);
}

void Event::releaseDependents(cl_int status) {
  Edge *edge = dependents_.exchange(KILN_CLOSED, std::memory_order_acq_rel);
  if (edge == KILN_CLOSED)
    return;
  // The list has the last one first; they are let go in the order in which they were enqueued.
  Edge *inOrder = nullptr;
  while (edge) {
    Edge *next = edge->next;
    edge->next = inOrder;
    inOrder = edge;
    edge = next;
  }
  while (inOrder) {
    Event *dependent = inOrder->dependent; // the edge lies in it
    bool counted = inOrder->counted;
    inOrder = inOrder->next;
    if (status < 0)
      dependent->dependencyFailed(status);
    if (counted && dependent->countDown())
      dependent->queue_->becameReady(*dependent);
    dependent->drop();
  }
}

Result<cl_ulong> Event::profilingTime(cl_profiling_info which) const {
  if (which < CL_PROFILING_COMMAND_QUEUED || which > CL_PROFILING_COMMAND_COMPLETE)
    return fail(CL_INVALID_VALUE, "0x", std::hex, which, " is no profiling time");
  if (isUser() || !queue_->profiling())
    return fail(CL_PROFILING_INFO_NOT_AVAILABLE, "the event's queue has no profiling enabled");
  if (executionStatus() != CL_COMPLETE)
    return fail(CL_PROFILING_INFO_NOT_AVAILABLE, "the event is not complete");
  switch (which) {
  case CL_PROFILING_COMMAND_QUEUED:
    return cl_ulong(queuedTime_.load());
  case CL_PROFILING_COMMAND_SUBMIT:
    return cl_ulong(submitTime_.load());
  case CL_PROFILING_COMMAND_START:
    return cl_ulong(startTime_.load());
  default:
    return cl_ulong(endTime_.load()); // no children yet: complete when ended
  }
}

cl_int Event::polledStatus() const {
  if (queue_ && !ended())
    queue_->flush();
  return executionStatus();
}

void Event::wait() {
  auto hasEnded = [this] { return ended(); };
  if (queue_ && !hasEnded()) {
    queue_->help({[](const void *event) { return static_cast<const Event *>(event)->ended(); }, this});
    if (!hasEnded())
      queue_->flush();
  }
  sleepers_.wait(status_, hasEnded);
}

Status Event::waitFor(const WaitList &events) {
  Queue *last = nullptr;
  bool several = false;
  for (const Ref<Event> &event : events)
    if (Queue *queue = event->queue(); queue && !event->ended()) {
      several |= last && last != queue;
      last = queue;
    }
  if (several)
    for (const Ref<Event> &event : events)
      if (event->queue() && !event->ended())
        event->queue()->flush();
  for (const Ref<Event> &event : events)
    event->wait();
  for (const Ref<Event> &event : events)
    if (cl_int status = event->executionStatus(); status < 0)
      return fail(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an event failed with ", status);
  return {};
}

} // namespace kiln
