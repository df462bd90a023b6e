#include "runtime/queue/Queue.h"
#include "runtime/queue/OwnRuns.h"
#include "runtime/support/Log.h"
#include "runtime/support/Trace.h"
#include <algorithm>
#include <utility>

namespace kiln {
namespace {

// Short commands wait for a flush, so that a batch costs one wake-up at most and a call that waits runs them on its own
// thread. Somebody is woken when what waits is worth more than the waking.
constexpr uint64_t FlushAtNanoseconds = 30'000;

// Streams of an out-of-order queue: how many of its commands can run at once.
constexpr size_t OutOfOrderStreams = 4;

/// About how long a command takes; a guess is enough.
struct Expected {
  static uint64_t bytes(const Extent &extent) { return 50 + extent[0] * extent[1] * extent[2] / 16; }
  uint64_t operator()(const ReadBuffer &c) { return bytes(c.extent); }
  uint64_t operator()(const WriteBuffer &c) { return bytes(c.extent); }
  uint64_t operator()(const CopyBuffer &c) { return bytes(c.extent); }
  uint64_t operator()(const FillBuffer &c) { return bytes(c.extent); }
  uint64_t operator()(const NDRange &c) {
    const auto &size = c.launch.launch.globalSize;
    const Function *function = c.launch.launch.function;
    return function ? function->expectedNanoseconds(size[0] * size[1] * size[2]).value_or(FlushAtNanoseconds) : 50;
  }
  uint64_t operator()(const Seldom &c) { return std::visit(*this, c.command); }
  uint64_t operator()(const CopyMemory &c) { return bytes({c.size, 1, 1}); }
  uint64_t operator()(const FillMemory &c) { return bytes({c.size, 1, 1}); }
  uint64_t operator()(const NativeKernel &) { return FlushAtNanoseconds; }
  uint64_t operator()(const auto &) { return 50; }
};

} // namespace

Result<Ref<Queue>> Queue::create(Context &context, DeviceObject &device, cl_command_queue_properties properties,
                                 std::vector<cl_queue_properties> list, StreamHints hints) {
  if (context.indexOf(&device) < 0)
    return fail(CL_INVALID_DEVICE, "device ", device.info().name, " has no part in the context");
  if (properties & ~cl_command_queue_properties(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE))
    return fail(CL_INVALID_VALUE, "queue properties 0x", std::hex, properties, " are none of a queue on the host");
  if (properties & ~device.info().hostQueueProperties)
    return fail(CL_INVALID_QUEUE_PROPERTIES, "queue properties 0x", std::hex, properties,
                " are more than the device can do");
  std::vector<std::unique_ptr<DeviceStream>> streams;
  bool ordered = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  for (size_t i = 0; i < (ordered ? 1 : OutOfOrderStreams); ++i)
    streams.push_back(KILN_TRY(DeviceStream::create(device, hints)));
  return Ref<Queue>(new Queue(context, device, properties, std::move(list), std::move(streams)));
}

Queue::Queue(Context &context, DeviceObject &device, cl_command_queue_properties properties,
             std::vector<cl_queue_properties> list, std::vector<std::unique_ptr<DeviceStream>> streams)
    : Object(Kind), context_(&context), device_(&device), properties_(properties), list_(std::move(list)),
      streams_(std::move(streams)), orders_(device.info().ordersStreams), placement_(context.placement()) {
  context.add(*this);
}

Queue::~Queue() { context_->remove(*this); }

Status Queue::enqueue(Command command, const WaitList &waits, cl_event *event, bool blocking) {
  if (auto *range = std::get_if<NDRange>(&command); range && range->launch.initialised) {
    std::shared_ptr<const DeviceProgram> program = std::move(range->launch.initialised);
    if (Ref<Event> first = KILN_TRY(program->ownRuns()->initialise(program, *context_, *device_))) {
      WaitList all = waits;
      all.push_back(std::move(first));
      return start(*KILN_TRY(makeEvent(std::move(command), all)), all, event, blocking);
    }
  }
  return start(*KILN_TRY(makeEvent(std::move(command), waits)), waits, event, blocking);
}

Result<Ref<Event>> Queue::enqueueOwn(Command command, const WaitList &waits) {
  Ref<Event> node = KILN_TRY(makeEvent(std::move(command), waits));
  KILN_TRY(start(*node, waits, nullptr, false, true));
  return node;
}

Result<Ref<Event>> Queue::makeEvent(Command command, const WaitList &waits) {
  if (placement_)
    KILN_TRY(Placement::reserve(command, *device_));
  Ref<Event> node(new Event(context_, this, std::move(command)));
  if (waits.size() > node->inlineEdges_.size())
    node->moreEdges_ = std::make_unique<Event::Edge[]>(waits.size());
  return node;
}

Status Queue::start(Event &node, const WaitList &waits, cl_event *event, bool blocking, bool watched) {
  uint64_t expected = std::visit(Expected{}, node.command_);
  node.watched = event || blocking || watched;
  node.timed = profiling() || trace::enabled();
  if (node.timed)
    node.queuedTime_.store(nowNanoseconds(), std::memory_order_relaxed);
  bool worthWaking = add(node, waits, expected);
  if (blocking) {
    node.wait();
    if (cl_int status = node.executionStatus(); status < 0)
      return fail(status, commandName(node.commandType()), " failed");
  } else if (worthWaking) {
    flush();
  }
  if (event)
    *event = Ref<Event>(&node).handle();
  return {};
}

Result<void *> Queue::enqueueMap(MapBuffer map, const WaitList &waits, cl_event *event, bool blocking) {
  MemObject &object = *map.buffer.object();
  Buffer &buffer = object.storage();
  const cl_map_flags flags = map.flags;
  const Layout at = map.at;
  const Extent extent = map.extent;
  Ref<Event> node = KILN_TRY(makeEvent(std::move(map), waits));
  void *pointer = KILN_TRY(buffer.beginMap(object, flags, at, extent));
  std::get<MapBuffer>(node->command_).pointer = pointer;
  try {
    KILN_TRY(start(*node, waits, event, blocking)); // a command that fails takes the map back itself
  } catch (...) {
    buffer.endMap(object, pointer);
    throw;
  }
  return pointer;
}

Status Queue::enqueueUnmap(MemObject &object, void *pointer, const WaitList &waits, cl_event *event) {
  if (object.type() == CL_MEM_OBJECT_PIPE)
    return fail(CL_INVALID_MEM_OBJECT, "the object is a pipe, which has no maps");
  Buffer &buffer = object.storage();
  std::list<Buffer::Map> map = buffer.endMap(object, pointer);
  if (map.empty())
    return fail(CL_INVALID_VALUE, "pointer ", pointer, " is no live map of the object");
  try {
    Result<Ref<Event>> node = makeEvent(UnmapMem{&object, map.front()}, waits);
    if (node.ok())
      return start(**node, waits, event, false);
    buffer.putBack(std::move(map));
    return std::move(node).status();
  } catch (...) {
    buffer.putBack(std::move(map));
    throw;
  }
}

bool Queue::add(Event &event, const WaitList &waits, uint64_t expected) {
  bool worthWaking, blocked;
  {
    Lock lock(mutex_);
    link(event, waits);
    append(event);
    if (event.countDown())
      retire(event);
    unflushed_ += std::min(expected, FlushAtNanoseconds);
    worthWaking = unflushed_ >= FlushAtNanoseconds;
    blocked = !blockers_.empty();
  }
  if (orders_ || blocked)
    settle(blocked);
  return worthWaking;
}

void Queue::link(Event &event, const WaitList &waits) {
  // What needs memory comes first: from the first link on, the event must end.
  for (const Ref<Event> &dependency : waits) // which may never start if nobody flushes its queue
    if (const Ref<Queue> &queue = dependency->queue_;
        queue && queue.get() != this && !dependency->ended() && std::ranges::find(awaited_, queue) == awaited_.end())
      awaited_.push_back(queue);
  auto *marker = std::get_if<Marker>(&event.command_);
  const bool all = marker && marker->all;
  if (!inOrder())
    makeEarlierEdges(event, all);
  if (orders_) {
    auto ordered = size_t(std::ranges::count_if(waits, [&](const Ref<Event> &wait) { return deviceOrders(event, *wait); }));
    if (!endsWithOthers(event))
      ordered += size_t(std::ranges::distance(event.earlierEdges_));
    event.reserveEdges(ordered, ordered);
  }

  event.hold(); // until it has ended
  Event::Edge *edges = event.moreEdges_ ? event.moreEdges_.get() : event.inlineEdges_.data();
  for (size_t i = 0; i < waits.size(); ++i)
    follow(event, *waits[i], edges[i], Event::Blame::WaitList);
  if (!inOrder()) {
    Event *earlier = all ? firstInLine_ : lastBarrier_.get();
    // What merely came earlier may have failed; a barrier's wait list stands for those of all commands behind it.
    const Event::Blame blame = all ? Event::Blame::None : Event::Blame::WaitList;
    for (Event::Edge &edge : event.earlierEdges_) {
      follow(event, *earlier, edge, blame);
      earlier = earlier->nextInLine_;
    }
    if (marker && marker->barrier)
      lastBarrier_ = &event;
  }
  ++enqueued_;
}

bool Queue::endsWithOthers(const Event &event) const {
  return !inOrder() && event.watched && std::holds_alternative<Marker>(event.command_);
}

bool Queue::deviceOrders(const Event &event, const Event &dependency) const {
  if (!orders_ || dependency.isUser() || dependency.outlastsStream_ || endsWithOthers(event))
    return false;
  return device_ == &(dependency.transfer_ ? dependency.stream_->device() : dependency.queue_->device());
}

void Queue::follow(Event &event, Event &dependency, Event::Edge &edge, Event::Blame blame) noexcept {
  const bool sameLine = inOrder() && dependency.queue_.get() == this && !dependency.transfer_;
  const bool ordered = deviceOrders(event, dependency);
  if (blame == Event::Blame::WaitList)
    event.conditional_ |= (sameLine || ordered) && !dependency.ended();
  if (!ordered)
    return event.dependOn(dependency, edge, !sameLine, blame);
  Event::Edge &untilIssued = *event.newEdge();
  if (!sameLine)
    event.order_->after.emplace_back(&dependency); // there is room
  if (blame != Event::Blame::None)
    event.dependOn(dependency, edge, false, blame);
  event.dependOnIssue(dependency, untilIssued, blame);
}

void Queue::makeEarlierEdges(Event &event, bool all) {
  if (!all) {
    if (lastBarrier_)
      event.earlierEdges_.emplace_front();
    return;
  }
  for (Event *earlier = firstInLine_; earlier; earlier = earlier->nextInLine_)
    event.earlierEdges_.emplace_front();
}

void Queue::append(Event &event) {
  event.previousInLine_ = lastInLine_;
  (lastInLine_ ? lastInLine_->nextInLine_ : firstInLine_) = &event;
  lastInLine_ = &event;
}

void Queue::remove(Event &event) {
  (event.previousInLine_ ? event.previousInLine_->nextInLine_ : firstInLine_) = event.nextInLine_;
  (event.nextInLine_ ? event.nextInLine_->previousInLine_ : lastInLine_) = event.previousInLine_;
  event.nextInLine_ = event.previousInLine_ = nullptr;
}

void Queue::leave(Event &event) {
  remove(event);
  heldUp_ = event.outlastsStream_;
}

void Queue::retire(Event &event) noexcept {
  if (!inOrder()) {
    submit(event);
    return;
  }
  event.ready_ = true;
  advance();
}

void Queue::advance() noexcept {
  while (firstInLine_ && firstInLine_->ready_ && !heldUp_)
    if (Event &head = *firstInLine_; !submit(head))
      head.ready_ = false;
}

namespace {
/// The queue that this thread is helping, and whether something became ready there meanwhile: the thread will come to
/// it itself, so nobody need be woken.
struct Helping {
  explicit Helping(const Queue *queue) : queue(queue), outer(std::exchange(innermost, this)) {}
  ~Helping() { innermost = outer; }
  const Queue *const queue;
  Helping *const outer;
  bool ready = false;
  static thread_local Helping *innermost;
};
thread_local Helping *Helping::innermost = nullptr;
} // namespace

void Queue::becameReady(Event &event) noexcept {
  bool blocked;
  {
    Lock lock(mutex_);
    retire(event);
    blocked = !blockers_.empty();
  }
  goOn(blocked);
}

void Queue::goOn(bool blocked) noexcept {
  if (orders_ || blocked)
    settle(blocked);
  if (Helping::innermost && Helping::innermost->queue == this)
    Helping::innermost->ready = true;
  else
    flush(); // the application may have flushed long ago
}

inline void Queue::handOver(Event &event) noexcept {
  if (event.timed)
    event.submitTime_.store(nowNanoseconds(), std::memory_order_relaxed);
  event.advance(CL_SUBMITTED);
  event.stream_->submit(event);
}

bool Queue::submit(Event &event) noexcept {
  if (!event.stream_) {
    event.stream_ = streams_[nextStream_].get();
    if (++nextStream_ == streams_.size())
      nextStream_ = 0;
  }
  if (placement_ || orders_)
    return placeAndSubmit(event);
  if (inOrder())
    leave(event); // out of order, that is when it has ended
  handOver(event);
  return true;
}

// Where memory runs out here there is nobody to tell but the event: it fails. This may be a driver's thread.

bool Queue::placeAndSubmit(Event &event) noexcept {
  PlacementPlan plan;
  if (placement_ && !place(event, plan))
    return false;
  if (inOrder())
    leave(event);
  if (event.order_) {
    try {
      makeFences(event, plan.fetches.empty() ? event : *plan.fetches.front());
    } catch (const std::bad_alloc &) {
      event.failure_.store(CL_OUT_OF_HOST_MEMORY, std::memory_order_relaxed);
    }
  }
  for (const Ref<Event> &fetch : plan.fetches) {
    if (Event::Edge *edge = event.newEdge()) // none where the event fails for want of it
      event.dependOn(*fetch, *edge, false, Event::Blame::Own);
    give(*fetch);
  }
  give(event);
  return true;
}

bool Queue::place(Event &event, PlacementPlan &plan) noexcept {
  // What is known to fail does nothing, so it needs nothing.
  while (!event.failure_.load(std::memory_order_relaxed)) {
    plan = {};
    cl_int code;
    std::list<Blocker> blockers;
    try {
      Status status = placement_->decide(event, *event.stream_, plan);
      code = status.code();
      if (code < 0)
        KILN_LOG(Error, Memory, event.name(), ": ", status.message());
      event.reserveEdges(plan.fetches.size() + plan.waits.size() + plan.ends.size(), 0);
      if (orders_)
        event.reserveEdges(plan.waits.size(), plan.waits.size());
      for (const std::vector<Ref<Event>> *list : {&plan.waits, &plan.ends})
        for (const Ref<Event> &other : *list)
          blockers.push_back({other, &event});
    } catch (const std::bad_alloc &) {
      code = CL_OUT_OF_HOST_MEMORY;
    }
    for (const Ref<Event> &push : plan.pushes)
      give(*push);
    if (code < 0)
      event.failure_.store(code, std::memory_order_relaxed);
    if (code < 0 || plan.decided())
      break;
    event.open_.store(1, std::memory_order_relaxed); // nobody counts it at present
    for (const Ref<Event> &other : plan.waits)
      follow(event, *other, *event.newEdge(), Event::Blame::None);
    for (const Ref<Event> &other : plan.ends) {
      bool own = std::ranges::find(plan.pushes, other) != plan.pushes.end();
      event.dependOn(*other, *event.newEdge(), true, own ? Event::Blame::Own : Event::Blame::None);
    }
    blockers_.splice(blockers_.end(), blockers);
    if (!event.countDown())
      return false;
  }
  unblock(event);
  return true;
}

void Queue::unblock(Event &event) {
  for (Blocker &blocker : blockers_)
    if (blocker.of == &event)
      blocker.of = nullptr; // and `settle` takes it out: nothing is dropped under the lock
}

void Queue::makeFences(Event &event, Event &first) {
  std::vector<DeviceStream *> marked;
  for (const Ref<Event> &other : event.order_->after) {
    DeviceStream *stream = other->stream_;
    if (other->ended() || stream == event.stream_ || std::ranges::find(marked, stream) != marked.end())
      continue;
    marked.push_back(stream);
    // Later on that stream than it needs to be, which is safe.
    Result<std::shared_ptr<Fence>> fence = stream->mark();
    if (fence.ok()) {
      if (!first.order_)
        first.order_ = std::make_unique<Event::Order>();
      first.order_->fences.push_back(std::move(*fence));
    } else {
      KILN_LOG(Error, Event, event.name(), ": ", fence.message());
      event.failure_.store(fence.code(), std::memory_order_relaxed);
    }
  }
  event.order_->after.clear();
}

void Queue::give(Event &event) noexcept {
  Ref<Event> alive;
  const bool orders = event.stream_->orders();
  if (orders || event.transfer_)
    alive = Ref<Event>(&event);
  if (event.transfer_)
    event.hold(); // until it has ended
  handOver(event);
  if (orders)
    event.issued();
}

void Queue::settle(bool blocked) noexcept {
  while (blocked) {
    // What no event waits for any more is flushed all the same: it may be waited for on the device.
    std::list<Blocker> over;
    Ref<Event> event;
    {
      Lock lock(mutex_);
      auto unflushed = std::ranges::find(blockers_, false, &Blocker::flushed);
      blocked = unflushed != blockers_.end();
      if (blocked) {
        unflushed->flushed = true;
        event = unflushed->by;
      }
      for (auto next = blockers_.begin(); next != blockers_.end();)
        if (auto blocker = next++; !blocker->of && blocker->flushed)
          over.splice(over.end(), blockers_, blocker);
    }
    if (!event || event->ended())
      continue;
    (*event->stream_)->flush();
    if (event->queue_.get() != this)
      event->queue_->flush(); // it may be on its way to the stream
  }
  Event::releaseReady();
}

void Queue::eventEnded(Event &event) noexcept {
  if (inOrder() && event.outlastsStream_) {
    bool blocked;
    {
      Lock lock(mutex_);
      heldUp_ = false;
      advance();
      blocked = !blockers_.empty();
    }
    goOn(blocked);
  }
  if (!inOrder()) {
    Lock lock(mutex_);
    remove(event);
    if (lastBarrier_.get() == &event)
      lastBarrier_ = nullptr;
    return;
  }
  uint32_t done = completed_.fetch_add(1, std::memory_order_seq_cst) + 1;
  // Only who waits for this very command, or one before it, is worth a wake-up.
  if (int32_t(done - wakeAt_.load(std::memory_order_seq_cst)) >= 0)
    sleepers_.wake(completed_);
}

void Queue::helpStreams(Done done) noexcept {
  for (const auto &stream : streams_) {
    if (done())
      return;
    (*stream)->help(done);
  }
}

void Queue::help(Done done) noexcept {
  Helping helping(this);
  bool anyReady = false;
  for (;;) {
    helping.ready = false;
    helpStreams(done);
    anyReady |= helping.ready;
    if (done())
      break;
    std::list<Blocker> blockers;
    std::vector<Ref<Queue>> awaited = takeAwaited(blockers);
    if (awaited.empty() && blockers.empty() && !helping.ready)
      break;
    struct Until {
      Done done;
      const Helping &helping;
    } until{done, helping};
    Done reached{[](const void *u) {
                   auto *until = static_cast<const Until *>(u);
                   return until->helping.ready || until->done();
                 },
                 &until};
    for (const Ref<Queue> &queue : awaited) {
      queue->helpStreams(reached);
      queue->flush(); // what is left there
    }
    for (const Blocker &blocker : blockers) {
      DeviceStream &stream = *blocker.by->stream_;
      stream->help(reached);
      stream->flush();
    }
    anyReady |= helping.ready;
  }
  // What became ready here may be what the application has flushed long ago. Whether all of it has been run is not
  // known: another thread may have had the stream, and have gone.
  if (anyReady)
    flush();
}

std::vector<Ref<Queue>> Queue::takeAwaited(std::list<Blocker> &blockers) noexcept {
  Lock lock(mutex_);
  for (auto next = blockers_.begin(); next != blockers_.end();)
    if (auto blocker = next++; blocker->flushed)
      blockers.splice(blockers.end(), blockers_, blocker);
  return std::exchange(awaited_, {});
}

void Queue::flush() noexcept {
  std::vector<Ref<Queue>> awaited;
  {
    Lock lock(mutex_);
    unflushed_ = 0;
    awaited.swap(awaited_);
  }
  for (const auto &stream : streams_)
    (*stream)->flush();
  // Each list is taken before its queues are flushed, so queues that wait for one another end this.
  for (const Ref<Queue> &queue : awaited)
    queue->flush();
}

void Queue::finish() {
  if (!inOrder()) {
    Ref<Event> marker(new Event(context_, this, Marker{true}));
    marker->watched = true;
    add(*marker, {}, 0);
    return marker->wait();
  }
  struct Target {
    Queue *queue;
    uint32_t count;
    bool reached() const { return int32_t(queue->completed_.load(std::memory_order_seq_cst) - count) >= 0; }
  } target{this, 0};
  {
    Lock lock(mutex_);
    target.count = enqueued_;
    unflushed_ = 0;
  }
  if (target.reached())
    return;
  help({[](const void *t) { return static_cast<const Target *>(t)->reached(); }, &target});
  if (target.reached())
    return;
  flush();
  sleepers_.wait(completed_, [&] {
    if (target.reached())
      return true;
    // The earliest that anybody waits for; one that is past is nobody's any more.
    uint32_t at = wakeAt_.load(std::memory_order_seq_cst);
    while ((int32_t(at - completed_.load(std::memory_order_seq_cst)) <= 0 || int32_t(target.count - at) < 0) &&
           !wakeAt_.compare_exchange_weak(at, target.count, std::memory_order_seq_cst)) {
    }
    return target.reached();
  });
}

} // namespace kiln
