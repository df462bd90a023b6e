#include "runtime/queue/Queue.h"
#include "runtime/queue/InitFiniKernels.h"
#include "runtime/support/Log.h"
#include "runtime/support/Trace.h"
#include <algorithm>
#include <utility>

namespace kiln {
namespace {

// Short commands wait for a flush. So a batch costs at most one wake-up, and a blocking call runs them on its own
// thread. A thread is woken once the unflushed work takes longer than the wake-up.
constexpr uint64_t FlushAtNanoseconds = 30'000;

// Streams of an out-of-order queue, that is, how many of its commands can run at once.
constexpr size_t OutOfOrderStreams = 4;

/// A rough estimate of a command's duration.
struct DurationEstimate {
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
  uint64_t operator()(const RareCommand &c) { return std::visit(*this, c.command); }
  uint64_t operator()(const CopyMemory &c) { return bytes({c.size, 1, 1}); }
  uint64_t operator()(const FillMemory &c) { return bytes({c.size, 1, 1}); }
  uint64_t operator()(const NativeKernel &) { return FlushAtNanoseconds; }
  uint64_t operator()(const auto &) { return 50; }
};

} // namespace

Result<Ref<Queue>> Queue::create(Context &context, DeviceObject &device, cl_command_queue_properties properties,
                                 std::vector<cl_queue_properties> list, QueueHints hints) {
  if (context.indexOf(&device) < 0)
    return fail(CL_INVALID_DEVICE, "device ", device.info().name, " is not in the context");
  if (properties & ~cl_command_queue_properties(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE))
    return fail(CL_INVALID_VALUE, "queue properties 0x", std::hex, properties,
                " contain bits that a host queue does not have");
  if (properties & ~device.info().hostQueueProperties)
    return fail(CL_INVALID_QUEUE_PROPERTIES, "queue properties 0x", std::hex, properties,
                " contain bits that the device does not support");
  std::vector<std::unique_ptr<LockedStream>> streams;
  bool ordered = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  for (size_t i = 0; i < (ordered ? 1 : OutOfOrderStreams); ++i)
    streams.push_back(KILN_TRY(LockedStream::create(device, hints)));
  return Ref<Queue>(new Queue(context, device, properties, std::move(list), std::move(streams)));
}

Queue::Queue(Context &context, DeviceObject &device, cl_command_queue_properties properties,
             std::vector<cl_queue_properties> list, std::vector<std::unique_ptr<LockedStream>> streams)
    : Object(Kind), context_(&context), device_(&device), properties_(properties), list_(std::move(list)),
      streams_(std::move(streams)), hasFences_(device.info().hasFences), residencyManager_(context.residencyManager()) {
  context.add(*this);
}

Queue::~Queue() { context_->remove(*this); }

Status Queue::enqueue(Command command, const WaitList &waits, cl_event *event, bool blocking) {
  if (auto *range = std::get_if<NDRange>(&command); range && range->launch.initialised) {
    std::shared_ptr<const DeviceProgram> program = std::move(range->launch.initialised);
    if (Ref<Event> first = KILN_TRY(program->initFiniKernels()->enqueueInitializers(program, *context_, *device_))) {
      WaitList all = waits;
      all.push_back(std::move(first));
      return enqueueEvent(*KILN_TRY(createEvent(std::move(command), all)), all, event, blocking);
    }
  }
  return enqueueEvent(*KILN_TRY(createEvent(std::move(command), waits)), waits, event, blocking);
}

Result<Ref<Event>> Queue::enqueueInternal(Command command, const WaitList &waits) {
  Ref<Event> node = KILN_TRY(createEvent(std::move(command), waits));
  KILN_TRY(enqueueEvent(*node, waits, nullptr, false, true));
  return node;
}

Result<Ref<Event>> Queue::createEvent(Command command, const WaitList &waits) {
  if (residencyManager_)
    KILN_TRY(ResidencyManager::reserve(command, *device_));
  Ref<Event> node(new Event(context_, this, std::move(command)));
  node->reserveEdges(waits.size());
  return node;
}

Status Queue::enqueueEvent(Event &node, const WaitList &waits, cl_event *event, bool blocking, bool isWaitable) {
  uint64_t expected = std::visit(DurationEstimate{}, node.command_);
  node.isWaitable = event || blocking || isWaitable;
  node.needsTimes = profiling() || trace::enabled();
  if (node.needsTimes)
    node.queuedTime_.store(nowNanoseconds(), std::memory_order_relaxed);
  bool worthWaking = insert(node, waits, expected);
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
  const BoxLayout at = map.at;
  const Extent extent = map.extent;
  Ref<Event> node = KILN_TRY(createEvent(std::move(map), waits));
  void *pointer = KILN_TRY(buffer.beginMap(object, flags, at, extent));
  std::get<MapBuffer>(node->command_).pointer = pointer;
  try {
    KILN_TRY(enqueueEvent(*node, waits, event, blocking)); // a command that fails ends the map itself
  } catch (...) {
    buffer.endMap(object, pointer);
    throw;
  }
  return pointer;
}

Status Queue::enqueueUnmap(MemObject &object, void *pointer, const WaitList &waits, cl_event *event) {
  if (object.type() == CL_MEM_OBJECT_PIPE)
    return fail(CL_INVALID_MEM_OBJECT, "memobj is a pipe, which cannot be mapped");
  Buffer &buffer = object.storage();
  std::list<Buffer::Map> map = buffer.endMap(object, pointer);
  if (map.empty())
    return fail(CL_INVALID_VALUE, "mapped_ptr ", pointer, " is not a live map of the object");
  try {
    Result<Ref<Event>> node = createEvent(UnmapMem{&object, map.front()}, waits);
    if (node.ok())
      return enqueueEvent(**node, waits, event, false);
    buffer.restoreMap(std::move(map));
    return std::move(node).status();
  } catch (...) {
    buffer.restoreMap(std::move(map));
    throw;
  }
}

bool Queue::insert(Event &event, const WaitList &waits, uint64_t expected) {
  bool worthWaking, blocked;
  {
    Lock lock(mutex_);
    addDependencies(event, waits);
    append(event);
    if (event.countDown())
      submitOrMarkReady(event);
    unflushed_ += std::min(expected, FlushAtNanoseconds);
    worthWaking = unflushed_ >= FlushAtNanoseconds;
    blocked = !blockers_.empty();
  }
  if (hasFences_ || blocked)
    flushBlockers(blocked);
  return worthWaking;
}

void Queue::addDependencies(Event &event, const WaitList &waits) {
  // Everything that allocates comes first: once an edge has been added, the event must complete.
  for (const Ref<Event> &dependency : waits) // their queues must be flushed for them to start
    if (const Ref<Queue> &queue = dependency->queue_; queue && queue.get() != this && !dependency->isComplete() &&
                                                      std::ranges::find(queuesToFlush_, queue) == queuesToFlush_.end())
      queuesToFlush_.push_back(queue);
  auto *marker = std::get_if<Marker>(&event.command_);
  const bool all = marker && marker->all;
  const size_t earlier = inOrder() ? 0 : reserveEarlierEdges(event, all);
  if (hasFences_) {
    auto ordered =
        size_t(std::ranges::count_if(waits, [&](const Ref<Event> &wait) { return fenceOrders(event, *wait); }));
    if (!endsWithOthers(event))
      ordered += earlier;
    event.reserveEdges(ordered);
    event.reserveFences(ordered);
  }

  event.incRef(); // until it is complete
  for (const Ref<Event> &dependency : waits)
    addDependency(event, *dependency, EdgePolicy::WaitListError);
  if (!inOrder()) {
    // An earlier command may fail without effect on the barrier. A failed barrier makes later commands fail: its wait
    // list counts as theirs.
    if (!all && lastBarrier_)
      addDependency(event, *lastBarrier_, EdgePolicy::WaitListError);
    for (Event *other = all ? pendingHead_ : nullptr; other; other = other->nextPending_)
      addDependency(event, *other, EdgePolicy::IgnoreFailure);
    if (marker && marker->barrier)
      lastBarrier_ = &event;
  }
  ++enqueued_;
}

bool Queue::endsWithOthers(const Event &event) const {
  return !inOrder() && event.isWaitable && std::holds_alternative<Marker>(event.command_);
}

bool Queue::fenceOrders(const Event &event, const Event &dependency) const {
  if (!hasFences_ || dependency.isUser() || dependency.outlastsStream_ || endsWithOthers(event))
    return false;
  return device_ == &(dependency.transfer_ ? dependency.stream_->device() : dependency.queue_->device());
}

void Queue::addDependency(Event &event, Event &dependency, EdgePolicy policy) noexcept {
  const bool sameQueue = inOrder() && dependency.queue_.get() == this && !dependency.transfer_;
  const bool ordered = fenceOrders(event, dependency);
  if (policy == EdgePolicy::WaitListError)
    event.mayBeSkipped_ |= (sameQueue || ordered) && !dependency.isComplete();
  if (!ordered)
    return event.dependOn(dependency, sameQueue ? WaitUntil::Nothing : WaitUntil::Complete, policy);
  if (!sameQueue)
    event.fenceDependencies_->after.emplace_back(&dependency); // has capacity
  if (policy != EdgePolicy::IgnoreFailure)
    event.dependOn(dependency, WaitUntil::Nothing, policy);
  event.dependOn(dependency, WaitUntil::Issued, policy);
}

size_t Queue::reserveEarlierEdges(Event &event, bool all) {
  size_t count = 0;
  for (Event *earlier = all ? pendingHead_ : lastBarrier_.get(); earlier;
       earlier = all ? earlier->nextPending_ : nullptr)
    ++count;
  event.reserveEdges(count);
  return count;
}

void Queue::append(Event &event) {
  event.previousPending_ = pendingTail_;
  (pendingTail_ ? pendingTail_->nextPending_ : pendingHead_) = &event;
  pendingTail_ = &event;
}

void Queue::remove(Event &event) {
  (event.previousPending_ ? event.previousPending_->nextPending_ : pendingHead_) = event.nextPending_;
  (event.nextPending_ ? event.nextPending_->previousPending_ : pendingTail_) = event.previousPending_;
  event.nextPending_ = event.previousPending_ = nullptr;
}

void Queue::popHead(Event &event) {
  remove(event);
  waitsForChildren_ = event.outlastsStream_;
}

void Queue::submitOrMarkReady(Event &event) noexcept {
  if (!inOrder()) {
    submit(event);
    return;
  }
  event.isReady_ = true;
  submitReadyHead();
}

void Queue::submitReadyHead() noexcept {
  while (pendingHead_ && pendingHead_->isReady_ && !waitsForChildren_)
    if (Event &head = *pendingHead_; !submit(head))
      head.isReady_ = false;
}

namespace {
/// Marks that this thread is inside `progressUntil` for a queue, and records whether an event of the queue became ready
/// meanwhile. The thread runs that event itself, so no other one is woken.
struct ProgressScope {
  explicit ProgressScope(const Queue *queue) : queue(queue), outer(std::exchange(innermost, this)) {}
  ~ProgressScope() { innermost = outer; }
  const Queue *const queue;
  ProgressScope *const outer;
  bool ready = false;
  static thread_local ProgressScope *innermost;
};
thread_local ProgressScope *ProgressScope::innermost = nullptr;
} // namespace

void Queue::onReady(Event &event) noexcept {
  bool blocked;
  {
    Lock lock(mutex_);
    submitOrMarkReady(event);
    blocked = !blockers_.empty();
  }
  flushReady(blocked);
}

void Queue::flushReady(bool blocked) noexcept {
  if (hasFences_ || blocked)
    flushBlockers(blocked);
  if (ProgressScope::innermost && ProgressScope::innermost->queue == this)
    ProgressScope::innermost->ready = true;
  else
    flush(); // the application may have flushed before the event was submitted
}

inline void Queue::submitToStream(Event &event) noexcept {
  if (event.needsTimes)
    event.submitTime_.store(nowNanoseconds(), std::memory_order_relaxed);
  event.setStatus(CL_SUBMITTED);
  event.stream_->submit(event);
}

bool Queue::submit(Event &event) noexcept {
  if (!event.stream_) {
    event.stream_ = streams_[nextStream_].get();
    if (++nextStream_ == streams_.size())
      nextStream_ = 0;
  }
  if (residencyManager_ || hasFences_)
    return planAndSubmit(event);
  if (inOrder())
    popHead(event); // out of order: removed when it is complete
  submitToStream(event);
  return true;
}

// If memory runs out below, only the event can report it: it fails. This may be the poller's thread.

bool Queue::planAndSubmit(Event &event) noexcept {
  TransferPlan plan;
  if (residencyManager_ && !planTransfers(event, plan))
    return false;
  if (inOrder())
    popHead(event);
  if (event.fenceDependencies_) {
    try {
      recordFences(event, plan.fetches.empty() ? event : *plan.fetches.front());
    } catch (const std::bad_alloc &) {
      event.setFailure(CL_OUT_OF_HOST_MEMORY);
    }
  }
  for (const Ref<Event> &fetch : plan.fetches) {
    if (event.hasReservedEdge()) // if not, the event fails for lack of memory
      event.dependOn(*fetch, WaitUntil::Nothing, EdgePolicy::PropagateCode);
    submitAndResolveIssued(*fetch);
  }
  submitAndResolveIssued(event);
  return true;
}

bool Queue::planTransfers(Event &event, TransferPlan &plan) noexcept {
  // An event that has failed already needs no bytes.
  while (!event.failure()) {
    plan = {};
    cl_int code;
    std::list<Blocker> blockers;
    try {
      Status status = residencyManager_->plan(event, *event.stream_, plan);
      code = status.code();
      if (code < 0)
        KILN_LOG(Error, Memory, event.name(), ": ", status.message());
      event.reserveEdges(plan.fetches.size() + plan.waitIssued.size() + plan.waitEnded.size());
      if (hasFences_) {
        event.reserveEdges(plan.waitIssued.size());
        event.reserveFences(plan.waitIssued.size());
      }
      for (const std::vector<Ref<Event>> *list : {&plan.waitIssued, &plan.waitEnded})
        for (const Ref<Event> &other : *list)
          blockers.push_back({other, &event});
    } catch (const std::bad_alloc &) {
      code = CL_OUT_OF_HOST_MEMORY;
    }
    for (const Ref<Event> &push : plan.pushes)
      submitAndResolveIssued(*push);
    if (code < 0)
      event.setFailure(code);
    if (code < 0 || plan.decided())
      break;
    event.restartCount(); // it is in no list of dependents now
    for (const Ref<Event> &other : plan.waitIssued)
      addDependency(event, *other, EdgePolicy::IgnoreFailure);
    for (const Ref<Event> &other : plan.waitEnded) {
      bool own = std::ranges::find(plan.pushes, other) != plan.pushes.end();
      event.dependOn(*other, WaitUntil::Complete, own ? EdgePolicy::PropagateCode : EdgePolicy::IgnoreFailure);
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
    if (blocker.blocked == &event)
      blocker.blocked = nullptr; // `flushBlockers` erases it: no reference is released under the lock
}

void Queue::recordFences(Event &event, Event &first) {
  std::vector<LockedStream *> streams;
  for (const Ref<Event> &other : event.fenceDependencies_->after) {
    LockedStream *stream = other->stream_;
    if (other->isComplete() || stream == event.stream_ || std::ranges::find(streams, stream) != streams.end())
      continue;
    streams.push_back(stream);
    // The fence may cover later operations of that stream as well, which is safe.
    Result<std::shared_ptr<Fence>> fence = stream->recordFence();
    if (fence.ok()) {
      if (!first.fenceDependencies_)
        first.fenceDependencies_ = std::make_unique<Event::FenceDependencies>();
      first.fenceDependencies_->fences.push_back(std::move(*fence));
    } else {
      KILN_LOG(Error, Event, event.name(), ": ", fence.message());
      event.setFailure(fence.code());
    }
  }
  event.fenceDependencies_->after.clear();
}

void Queue::submitAndResolveIssued(Event &event) noexcept {
  Ref<Event> alive;
  const bool hasFences = event.stream_->hasFences();
  if (hasFences || event.transfer_)
    alive = Ref<Event>(&event);
  if (event.transfer_)
    event.incRef(); // until it is complete
  submitToStream(event);
  if (hasFences)
    event.resolveIssued();
}

void Queue::flushBlockers(bool blocked) noexcept {
  while (blocked) {
    // A blocker is flushed even if no event of this queue waits for it any more: another stream may wait for it on the
    // device.
    std::list<Blocker> over;
    Ref<Event> event;
    {
      Lock lock(mutex_);
      auto unflushed = std::ranges::find(blockers_, false, &Blocker::flushed);
      blocked = unflushed != blockers_.end();
      if (blocked) {
        unflushed->flushed = true;
        event = unflushed->blocking;
      }
      for (auto next = blockers_.begin(); next != blockers_.end();)
        if (auto blocker = next++; !blocker->blocked && blocker->flushed)
          over.splice(over.end(), blockers_, blocker);
    }
    if (!event || event->isComplete())
      continue;
    (*event->stream_)->flush();
    if (event->queue_.get() != this)
      event->queue_->flush(); // it may not be submitted yet
  }
  ReadyList::drain();
}

void Queue::onEventComplete(Event &event) noexcept {
  if (inOrder() && event.outlastsStream_) {
    bool blocked;
    {
      Lock lock(mutex_);
      waitsForChildren_ = false;
      submitReadyHead();
      blocked = !blockers_.empty();
    }
    flushReady(blocked);
  }
  if (!inOrder()) {
    Lock lock(mutex_);
    remove(event);
    if (lastBarrier_.get() == &event)
      lastBarrier_ = nullptr;
    return;
  }
  uint32_t done = completed_.fetch_add(1, std::memory_order_seq_cst) + 1;
  // Wakes only if the number that a thread waits for has been reached.
  if (int32_t(done - wakeAt_.load(std::memory_order_seq_cst)) >= 0)
    waitQueue_.wake(completed_);
}

void Queue::progressStreams(WaitCondition done) noexcept {
  for (const auto &stream : streams_) {
    if (done())
      return;
    (*stream)->progressUntil(done);
  }
}

void Queue::progressUntil(WaitCondition done) noexcept {
  ProgressScope progress(this);
  bool anyReady = false;
  for (;;) {
    progress.ready = false;
    progressStreams(done);
    anyReady |= progress.ready;
    if (done())
      break;
    std::list<Blocker> blockers;
    std::vector<Ref<Queue>> queues = takeQueuesToFlush(blockers);
    if (queues.empty() && blockers.empty() && !progress.ready)
      break;
    struct Until {
      WaitCondition done;
      const ProgressScope &progress;
    } until{done, progress};
    WaitCondition reached{[](const void *u) {
                            auto *until = static_cast<const Until *>(u);
                            return until->progress.ready || until->done();
                          },
                          &until};
    for (const Ref<Queue> &queue : queues) {
      queue->progressStreams(reached);
      queue->flush(); // the operations that are left there
    }
    for (const Blocker &blocker : blockers) {
      LockedStream &stream = *blocker.blocking->stream_;
      stream->progressUntil(reached);
      stream->flush();
    }
    anyReady |= progress.ready;
  }
  // The application may have flushed the queue before these events became ready. They may not all have run: another
  // thread may have taken the stream and left.
  if (anyReady)
    flush();
}

std::vector<Ref<Queue>> Queue::takeQueuesToFlush(std::list<Blocker> &blockers) noexcept {
  Lock lock(mutex_);
  for (auto next = blockers_.begin(); next != blockers_.end();)
    if (auto blocker = next++; blocker->flushed)
      blockers.splice(blockers.end(), blockers_, blocker);
  return std::exchange(queuesToFlush_, {});
}

void Queue::flush() noexcept {
  std::vector<Ref<Queue>> queues;
  {
    Lock lock(mutex_);
    unflushed_ = 0;
    queues.swap(queuesToFlush_);
  }
  for (const auto &stream : streams_)
    (*stream)->flush();
  // The list is emptied before its queues are flushed, so queues that wait for one another do not recurse forever.
  for (const Ref<Queue> &queue : queues)
    queue->flush();
}

void Queue::finish() {
  if (!inOrder()) {
    Ref<Event> marker(new Event(context_, this, Marker{true}));
    marker->isWaitable = true;
    insert(*marker, {}, 0);
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
  progressUntil({[](const void *t) { return static_cast<const Target *>(t)->reached(); }, &target});
  if (target.reached())
    return;
  flush();
  waitQueue_.wait(completed_, [&] {
    if (target.reached())
      return true;
    // The lowest number that a thread waits for. A number that has been reached is replaced.
    uint32_t at = wakeAt_.load(std::memory_order_seq_cst);
    while ((int32_t(at - completed_.load(std::memory_order_seq_cst)) <= 0 || int32_t(target.count - at) < 0) &&
           !wakeAt_.compare_exchange_weak(at, target.count, std::memory_order_seq_cst)) {
    }
    return target.reached();
  });
}

} // namespace kiln
