#include "runtime/enqueue/ChildScheduler.h"
#include "base/support/Log.h"
#include "base/support/Trace.h"
#include "runtime/enqueue/ChildCommand.h"
#include <algorithm>
#include <cassert>
#include <cstring>
#include <unordered_map>

namespace kiln {

static constexpr cl_int WaitFailed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;

/// Intrusive lists: adding an action cannot run out of memory.
struct ChildScheduler::DeferredActions {
  ChildCommand *firstReady = nullptr, *lastReady = nullptr;
  ChildCommand *dead = nullptr;
  CompletionNode *completeRoots = nullptr;
  ProfilingWriter *writers = nullptr;
  CompletionNode *pendingNode = nullptr; // not counted down yet

  void addReady(ChildCommand &child) {
    child.next = nullptr;
    (lastReady ? lastReady->next : firstReady) = &child;
    lastReady = &child;
  }
  ChildCommand *popReady() {
    ChildCommand *child = firstReady;
    if (child && !(firstReady = child->next))
      lastReady = nullptr;
    return child;
  }
};

/// Copies the profiling times of a command to the address that a kernel gave, in memory that the host cannot access.
/// The event is complete after that.
class ChildScheduler::ProfilingWriter final : public Operation {
public:
  ProfilingWriter(ChildScheduler &scheduler, CompletionNode &node, uint32_t event, std::unique_ptr<Memory> to,
                  std::array<uint64_t, 2> times)
      : scheduler_(scheduler), node_(node), event_(event), to_(std::move(to)), times_(times) {}
  Status issue(Issuer &issuer) override {
    Region from, to{.memory = to_.get()};
    from.host = reinterpret_cast<std::byte *>(times_.data());
    from.extent = to.extent = {sizeof times_, 1, 1};
    from.rowPitch = from.slicePitch = to.rowPitch = to.slicePitch = sizeof times_;
    return issuer.copy(to, from);
  }
  void onEnded(cl_int code, uint64_t, uint64_t) noexcept override {
    ChildScheduler &scheduler = scheduler_;
    DeferredActions actions;
    {
      Lock lock(scheduler.queues_.mutex());
      if (code < 0)
        node_.code = code;
      actions.pendingNode = &node_;
      scheduler.completeEvent(event_, scheduler.queues_.slot(event_).status, actions);
      scheduler.scanEvent(event_, actions);
      scheduler.countDown(&node_, actions);
    }
    delete this;
    scheduler.run(actions);
  }
  ProfilingWriter *next = nullptr;

private:
  ChildScheduler &scheduler_;
  CompletionNode &node_; // counts this operation
  const uint32_t event_;
  const std::unique_ptr<Memory> to_;
  std::array<uint64_t, 2> times_;
};

ChildScheduler::ChildScheduler(DeviceObject &device, const std::atomic<bool> *terminated)
    : device_(device), terminated_(terminated), queues_(device) {}
ChildScheduler::~ChildScheduler() = default;

namespace {
struct OfAllDevices final : ContextPart {
  std::vector<std::unique_ptr<ChildScheduler>> schedulers; // as Context::devices
};
} // namespace

ChildScheduler &ChildScheduler::of(const Context &context, const DeviceObject &device) {
  auto &all = static_cast<OfAllDevices &>(context.part(ContextPartKind::ChildSchedulers, [&] {
    auto made = std::make_unique<OfAllDevices>();
    for (DeviceObject *known : context.devices())
      made->schedulers.push_back(std::make_unique<ChildScheduler>(*known, context.termination()));
    return made;
  }));
  return *all.schedulers[size_t(context.indexOf(&device))];
}

Status ChildScheduler::prepare() {
  Lock lock(queues_.mutex());
  while (streams_.size() < Streams)
    streams_.push_back(KILN_TRY(LockedStream::create(device_)));
  return {};
}

// ---- arenas ---------------------------------------------------------------------------------------------------------

void ChildScheduler::releaseArena(MirroredMemory arena) noexcept {
  DeferredActions actions;
  {
    Lock lock(queues_.mutex());
    releaseArena(std::move(arena), actions);
  }
  run(actions);
}

void ChildScheduler::releaseArena(MirroredMemory arena, DeferredActions &actions) noexcept {
  queues_.releaseArena(std::move(arena));
  if (ChildCommand *child = waitingForArena_) {
    waitingForArena_ = child->next;
    actions.addReady(*child);
  }
}

bool ChildScheduler::mustWaitForArena(ChildCommand &child) {
  Lock lock(queues_.mutex());
  if (queues_.hasFreeArena())
    return false;
  child.next = waitingForArena_;
  waitingForArena_ = &child;
  return true;
}

// ---- records --------------------------------------------------------------------------------------------------------

namespace {
std::string_view whyLeft(const abi::EnqueueRecord &record) {
  switch (record.flags >> abi::RecordReasonShift & 0xff) {
  case abi::NotTaken:
    return "its queue was full";
  case abi::BlockNeedsHost:
    return "the block prints, has functions of groups, or has more local variables than the executor";
  case abi::HasEvents:
    return "it waits for an event that the executor has not completed, or the program reads the times of events";
  case abi::TooLarge:
    return "it has more work-items than MaxExecutorItems";
  case abi::GroupShape:
    return "the executor has no barriers for its local size";
  case abi::LocalMemory:
    return "its local arguments have more bytes than ExecutorLocalBytes";
  case abi::NoRoom:
    return "half of its queue or of the arena is in use, and it may enqueue more";
  }
  return "its record is damaged";
}

/// The children with an event that are not complete, by the positions of their records.
using Owners = std::unordered_map<uint32_t, ChildCommand *>;

void remember(Owners &owners, uint32_t position, ChildCommand &child, CompletionNode &node) noexcept {
  try {
    owners.emplace(position, &child);
  } catch (const std::bad_alloc &) {
    node.code = CL_OUT_OF_HOST_MEMORY; // its children are attached to `node`
  }
}
} // namespace

void ChildScheduler::readRecords(LaunchRecords &of, LaunchRecords &root, CompletionNode &node,
                                 DeferredActions &actions) noexcept {
  Owners owners;
  uint32_t position = 1;
  for (std::span<const std::byte> rest = of.records(); !rest.empty();) {
    abi::EnqueueRecord record; // a copy: another kernel may still write to the arena
    uint64_t operands = 0;
    if (rest.size() >= sizeof record.bytes && std::memcmp(rest.data(), &abi::EndOfRecords, sizeof record.bytes) == 0)
      break;
    if (rest.size() >= sizeof record) {
      std::memcpy(&record, rest.data(), sizeof record);
      operands = (uint64_t(record.waits) * 2 + record.locals) * 8 + (record.captured + 7) / 8 * 8;
    }
    if (rest.size() < sizeof record || record.captured > abi::MaxEnqueueRecord ||
        record.bytes != sizeof record + operands || record.bytes > rest.size()) {
      KILN_LOG(Error, Program, "a kernel has overwritten its enqueue records");
      node.code = CL_OUT_OF_RESOURCES;
      break;
    }
    const std::byte *behind = rest.data() + sizeof record;
    const bool hasRun = record.flags & abi::RecordHasRun;
    if (hasRun && isComplete(record)) {
      countRecord(record, reinterpret_cast<const uint64_t *>(behind));
    } else {
      // The owner's record is before those that it owns.
      const auto owner = owners.find(record.owner);
      CompletionNode &parent = owner == owners.end() ? node : owner->second->node;
      ChildCommand *child = readRecord(root, parent, record, behind, actions);
      if (child && record.event)
        remember(owners, position, *child, node);
    }
    if (!hasRun && of.executor())
      KILN_LOG(Debug, Program, "the executor left a child to the host: ", whyLeft(record));
    position += record.bytes / 8;
    rest = rest.subspan(record.bytes);
  }
  releaseArena(of.takeArena(), actions);
}

bool ChildScheduler::isComplete(const abi::EnqueueRecord &record) {
  const uint32_t event = queues_.findEvent(record.event);
  if (event == DeviceQueues::NoEvent)
    return true;
  const std::optional<DeviceQueues::KernelState> written = queues_.kernelState(event);
  return written && written->status <= CL_COMPLETE;
}

void ChildScheduler::countRecord(const abi::EnqueueRecord &record, const uint64_t *waits) noexcept {
  queues_.releaseBytes(queues_.queueIndex(record), record.bytes);
  for (uint32_t i = 0; i < record.waits; ++i)
    if (const uint32_t event = queues_.findEvent(waits[i]); event != DeviceQueues::NoEvent)
      ++queues_.slot(event).releasedRefs;
}

ChildCommand *ChildScheduler::readRecord(LaunchRecords &root, CompletionNode &node, const abi::EnqueueRecord &record,
                                         const std::byte *operands, DeferredActions &actions) noexcept {
  auto *waits = reinterpret_cast<const uint64_t *>(operands), *locals = waits + 2 * uint64_t(record.waits);
  ChildCommand *child = nullptr;
  try {
    child = new ChildCommand(*this, root, node, record.waits);
    if (!(record.flags & abi::RecordHasRun)) {
      const Status status = child->prepare(record, locals, reinterpret_cast<const std::byte *>(locals + record.locals));
      if (!status.ok())
        KILN_LOG(Error, Program, "a child command cannot run: ", status.message());
      child->failure = status.code();
    }
  } catch (const std::bad_alloc &) {
    if (!child) {
      dropRecord(node, record, waits, actions);
      return nullptr;
    }
    child->failure = CL_OUT_OF_HOST_MEMORY;
  }
  child->runs &= child->failure == CL_SUCCESS;
  child->bytes = record.bytes;
  child->queue = queues_.queueIndex(record);
  for (uint32_t i = 0; i < record.waits; ++i)
    addWaiter(*child, waits[i]);
  child->event = queues_.findEvent(record.event);
  child->needsTimes = child->event != DeviceQueues::NoEvent;
  ++node.pending;
  onDependencyComplete(*child, CL_SUCCESS, actions);
  return child;
}

void ChildScheduler::dropRecord(CompletionNode &node, const abi::EnqueueRecord &record, const uint64_t *waits,
                                DeferredActions &actions) noexcept {
  node.code = CL_OUT_OF_HOST_MEMORY;
  queues_.releaseBytes(queues_.queueIndex(record), record.bytes);
  for (uint32_t i = 0; i < record.waits; ++i)
    if (uint32_t event = queues_.findEvent(waits[i]); event != DeviceQueues::NoEvent)
      ++queues_.slot(event).releasedRefs;
  if (uint32_t event = queues_.findEvent(record.event);
      event != DeviceQueues::NoEvent && !queues_.slot(event).isComplete)
    completeEvent(event, CL_OUT_OF_HOST_MEMORY, actions);
}

// ---- children -------------------------------------------------------------------------------------------------------

void ChildScheduler::addWaiter(ChildCommand &child, uint64_t event) noexcept {
  const uint32_t index = queues_.findEvent(event);
  if (index == DeviceQueues::NoEvent)
    return; // complete, and freed
  EventSlot &slot = queues_.slot(index);
  ++slot.releasedRefs; // the reference that the kernel acquired for the record
  if (!slot.isComplete) {
    EventWaiter *waiter = &child.waiters.emplace_back(&child);
    (slot.lastWaiter ? slot.lastWaiter->next : slot.firstWaiter) = waiter;
    slot.lastWaiter = waiter;
    ++child.waits;
  } else if (slot.status < 0 && !child.failure) {
    child.failure = WaitFailed;
  }
}

void ChildScheduler::onDependencyComplete(ChildCommand &child, cl_int status, DeferredActions &actions) {
  if (status < 0 && !child.failure)
    child.failure = WaitFailed;
  if (--child.waits == 0)
    actions.addReady(child);
}

void ChildScheduler::onChildEnded(ChildCommand &child, cl_int code, uint64_t start, uint64_t end) noexcept {
  child.start = start;
  child.end = end;
  if (LaunchRecords *children = child.children())
    return children->collectRecords(child.root, child.node, code);
  DeferredActions actions;
  {
    Lock lock(queues_.mutex());
    completeChild(child, code, actions);
  }
  run(actions);
}

void ChildScheduler::completeChild(ChildCommand &child, cl_int code, DeferredActions &actions) noexcept {
  queues_.releaseBytes(child.queue, child.bytes);
  if (code < 0)
    child.node.code = code;
  countDown(&child.node, actions);
}

void ChildScheduler::onLaunchEnded(LaunchRecords &of, LaunchRecords &root, CompletionNode &node, cl_int code) noexcept {
  DeferredActions actions;
  {
    Lock lock(queues_.mutex());
    actions.pendingNode = &node;
    if (node.child)
      queues_.releaseBytes(node.child->queue, node.child->bytes);
    if (code == CL_SUCCESS) {
      if (const std::byte *snapshot = of.snapshot())
        queues_.applySnapshot(snapshot);
      queues_.findNewEvents();
      const bool unseen = node.child && node.child->event == DeviceQueues::NoEvent;
      readRecords(of, root, unseen ? *node.parent : node, actions);
      scanEvents(actions);
    } else {
      node.code = code;
      if (MirroredMemory arena = of.takeArena())
        releaseArena(std::move(arena), actions);
    }
    countDown(&node, actions);
  }
  run(actions);
}

void ChildScheduler::countDown(CompletionNode *node, DeferredActions &actions) {
  while (--node->pending == 0) {
    if (node->completion) {
      node->nextComplete = actions.completeRoots;
      actions.completeRoots = node;
      return;
    }
    ChildCommand &child = *node->child;
    if (child.event != DeviceQueues::NoEvent) {
      queues_.setTimes(child.event, child.end - child.start, child.end ? nowNanoseconds() - child.start : 0);
      actions.pendingNode = node->parent;
      queues_.slot(child.event).status = node->code;
      if (!publishProfiling(child.event, actions))
        completeEvent(child.event, node->code, actions);
      scanEvent(child.event, actions);
    }
    child.next = actions.dead;
    actions.dead = &child;
    CompletionNode *parent = node->parent;
    if (parent->code == CL_SUCCESS)
      parent->code = node->code;
    node = parent;
  }
}

void ChildScheduler::run(DeferredActions &actions) noexcept {
  LockedStream *used = nullptr; // the stream of launches by the host
  std::array<bool, Streams> flush{};
  while (ChildCommand *child = actions.popReady()) {
    if (!child->runs || child->failure) {
      Lock lock(queues_.mutex());
      completeChild(*child, child->failure, actions);
      continue;
    }
    if (child->children() && mustWaitForArena(*child))
      continue; // resumed when a launch releases its arena
    // A child goes to its launch's stream, where this thread continues; further ones go to other streams and threads.
    LockedStream *stream = child->root.launchStream();
    if (stream == used) {
      Lock lock(queues_.mutex());
      nextStream_ = (nextStream_ + 1) % Streams;
      flush[nextStream_] = true;
      stream = streams_[nextStream_].get();
    } else {
      if (used)
        (*used)->flush();
      used = stream;
    }
    stream->submit(*child);
  }
  while (ProfilingWriter *writer = actions.writers) {
    actions.writers = writer->next;
    streams_[0]->submit(*writer);
    flush[0] = true;
  }
  if (used)
    (*used)->flush();
  for (size_t i = 0; i < Streams; ++i)
    if (flush[i])
      (*streams_[i])->flush();
  while (ChildCommand *child = actions.dead) {
    actions.dead = child->next;
    delete child;
  }
  while (CompletionNode *root = actions.completeRoots) {
    actions.completeRoots = root->nextComplete;
    root->completion->onDeferredComplete(root->code);
  }
}

// ---- events ---------------------------------------------------------------------------------------------------------

void ChildScheduler::completeEvent(uint32_t event, cl_int status, DeferredActions &actions) {
  EventSlot &slot = queues_.slot(event);
  slot.isComplete = true;
  slot.status = status;
  for (EventWaiter *waiter = slot.firstWaiter; waiter; waiter = waiter->next)
    onDependencyComplete(*waiter->child, status, actions);
  slot.firstWaiter = slot.lastWaiter = nullptr;
}

void ChildScheduler::scanEvents(DeferredActions &actions) {
  const std::vector<uint32_t> &inUse = queues_.eventsInUse();
  for (size_t i = inUse.size(); i-- > 0;) // backwards: freeing an event moves the last one to its index
    scanEvent(inUse[i], actions);
}

void ChildScheduler::scanEvent(uint32_t event, DeferredActions &actions) {
  const std::optional<DeviceQueues::KernelState> written = queues_.kernelState(event);
  if (!written)
    return;
  EventSlot &slot = queues_.slot(event);
  if (written->status <= CL_COMPLETE && !slot.isComplete)
    completeEvent(event, written->status, actions);
  if (written->status == abi::EventPending &&
      written->isReleased) { // no kernel can set it: its dependents must not hang
    KILN_LOG(Warn, Event, "a kernel released a user event before its status was set");
    completeEvent(event, WaitFailed, actions);
  }
  if (slot.isComplete)
    (void)publishProfiling(event, actions);
  if (written->isReleased && (slot.isComplete || written->status == abi::EventDropped))
    queues_.freeEvent(event);
}

bool ChildScheduler::publishProfiling(uint32_t event, DeferredActions &actions) {
  const std::optional<DeviceQueues::KernelState> written = queues_.kernelState(event);
  EventSlot &slot = queues_.slot(event);
  if (!written || written->status != abi::EventOfCommand || !written->profile || slot.isProfiled)
    return false;
  slot.isProfiled = true;
  const abi::EventTimes known = queues_.times(event);
  const std::array<uint64_t, 2> times{known.run, known.all};
  if (!queues_.areTablesCopied()) {
    std::memcpy(reinterpret_cast<void *>(written->profile), times.data(), sizeof times);
    return false;
  }
  try {
    std::unique_ptr<Memory> to = device_.device().wrapAddress(written->profile, sizeof times);
    assert(to); // device addresses differ from the host's
    auto *writer = new ProfilingWriter(*this, *actions.pendingNode, event, std::move(to), times);
    ++actions.pendingNode->pending;
    writer->next = actions.writers;
    actions.writers = writer;
    return true;
  } catch (const std::bad_alloc &) {
    actions.pendingNode->code = CL_OUT_OF_HOST_MEMORY;
    return false;
  }
}

} // namespace kiln
