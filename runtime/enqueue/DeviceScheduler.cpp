#include "runtime/enqueue/DeviceScheduler.h"
#include "runtime/enqueue/ChildCommand.h"
#include "runtime/queue/RunSynchronously.h"
#include "runtime/support/Log.h"
#include "runtime/support/Trace.h"
#include <algorithm>
#include <cassert>
#include <cstring>

namespace kiln {
namespace {

constexpr size_t Streams = 3; // besides the streams of launches by the host
constexpr size_t Arenas = 32; // in use at once, if launches are issued before earlier ones end
constexpr cl_int WaitFailed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;

// Kernels may change these counters concurrently.
uint64_t load(uint64_t &counter) { return std::atomic_ref(counter).load(std::memory_order_acquire); }
void store(uint64_t &counter, uint64_t value) { std::atomic_ref(counter).store(value, std::memory_order_release); }

/// The offsets in the tables that the runtime writes, and in those that kernels write.
struct SharedTableLayout {
  // The default queue is not one of CL_DEVICE_MAX_ON_DEVICE_QUEUES.
  explicit SharedTableLayout(const DeviceInfo &info) : queues(info.maxDeviceQueues + 1), events(info.maxDeviceEvents) {}
  const size_t queues, events;
  size_t eventTable() const { return queues * sizeof(abi::DeviceQueue); }
  size_t free() const { return eventTable() + sizeof(abi::DeviceEvents); }
  size_t generations() const { return free() + events * sizeof(uint32_t); }
  size_t times() const { return generations() + events * sizeof(uint32_t); }
  size_t hostWrittenSize() const { return times() + events * sizeof(abi::EventTimes); }
  size_t queueTaken(size_t index) const { return index * sizeof(uint64_t); }
  size_t eventsTaken() const { return queues * sizeof(uint64_t); }
  size_t changes() const { return eventsTaken() + sizeof(uint64_t); }
  size_t eventList() const { return changes() + sizeof(uint64_t); }
  size_t kernelWrittenSize() const { return eventList() + events * sizeof(abi::DeviceEvent); }
};

} // namespace

/// The runtime's state of one event.
struct DeviceScheduler::EventSlot {
  uint32_t liveIndex = 0;    // in the list of events in use
  uint32_t releasedRefs = 0; // references that the runtime released
  bool isComplete = false;   // the command is complete, or the user event set
  bool profiled = false;
  cl_int status = CL_SUCCESS; // if complete
  EventWaiter *firstWaiter = nullptr, *lastWaiter = nullptr;
};

/// Intrusive lists: adding an action cannot run out of memory.
struct DeviceScheduler::DeferredActions {
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
class DeviceScheduler::ProfilingWriter final : public Operation {
public:
  ProfilingWriter(DeviceScheduler &scheduler, CompletionNode &node, uint32_t number, std::unique_ptr<Memory> to,
                  std::array<uint64_t, 2> times)
      : scheduler_(scheduler), node_(node), number_(number), to_(std::move(to)), times_(times) {}
  Status issue(Stream &stream) override {
    Region from, to{.memory = to_.get()};
    from.host = reinterpret_cast<std::byte *>(times_.data());
    from.extent = to.extent = {sizeof times_, 1, 1};
    from.rowPitch = from.slicePitch = to.rowPitch = to.slicePitch = sizeof times_;
    return stream.copy(to, from);
  }
  void onEnded(cl_int code, uint64_t, uint64_t) noexcept override {
    DeviceScheduler &scheduler = scheduler_;
    DeferredActions actions;
    {
      Lock lock(scheduler.mutex_);
      if (code < 0)
        node_.code = code;
      actions.pendingNode = &node_;
      EventSlot &slot = scheduler.events_[number_];
      scheduler.completeEvent(slot, slot.status, actions);
      scheduler.scanEvent(number_, actions);
      scheduler.countDown(&node_, actions);
    }
    delete this;
    scheduler.run(actions);
  }
  ProfilingWriter *next = nullptr;

private:
  DeviceScheduler &scheduler_;
  CompletionNode &node_; // counts this operation
  const uint32_t number_;
  const std::unique_ptr<Memory> to_;
  std::array<uint64_t, 2> times_;
};

DeviceScheduler::DeviceScheduler(DeviceObject &device) : device_(device) {}
DeviceScheduler::~DeviceScheduler() = default;

// ---- queues ---------------------------------------------------------------------------------------------------------

abi::DeviceQueue *DeviceScheduler::queueTable() const {
  return reinterpret_cast<abi::DeviceQueue *>(hostWrittenTables_->host);
}
abi::DeviceEvents *DeviceScheduler::eventTable() {
  return hostWrittenAt<abi::DeviceEvents>(SharedTableLayout(device_.info()).eventTable());
}

Status DeviceScheduler::prepare() {
  if (hostWrittenTables_)
    return {};
  const SharedTableLayout layout(device_.info());
  std::unique_ptr<Memory> hostWrittenTables = KILN_TRY(device_.device().allocateHost(layout.hostWrittenSize()));
  MirroredMemory kernelWrittenTables = KILN_TRY(MirroredMemory::create(device_.device(), layout.kernelWrittenSize()));
  if (kernelWrittenTables.isCopied())
    KILN_TRY(runSynchronously(device_.device(), [&](Stream &stream) {
      std::memset(kernelWrittenTables.host(), 0, layout.kernelWrittenSize());
      return kernelWrittenTables.upload(stream, 0, layout.kernelWrittenSize());
    }));
  else
    std::memset(kernelWrittenTables.host(), 0, layout.kernelWrittenSize());
  while (streams_.size() < Streams)
    streams_.push_back(KILN_TRY(LockedStream::create(device_)));
  events_.resize(layout.events);
  live_.reserve(layout.events);
  arenas_.reserve(Arenas);
  queues_.resize(layout.queues);
  std::memset(hostWrittenTables->host, 0, layout.hostWrittenSize());
  hostWrittenTables_ = std::move(hostWrittenTables);
  kernelWrittenTables_ = std::move(kernelWrittenTables);
  *eventTable() = {.count = layout.events,
                   .given = layout.events,
                   .taken = kernelWrittenTables_.address() + layout.eventsTaken(),
                   .changes = kernelWrittenTables_.address() + layout.changes(),
                   .events = kernelWrittenTables_.address() + layout.eventList(),
                   .free = hostWrittenTables_->address + layout.free(),
                   .generations = hostWrittenTables_->address + layout.generations(),
                   .times = hostWrittenTables_->address + layout.times()};
  for (uint32_t number = 0; number < layout.events; ++number) {
    hostWrittenAt<uint32_t>(layout.free())[number] = number;
    hostWrittenAt<uint32_t>(layout.generations())[number] = 1;
  }
  return {};
}

Status DeviceScheduler::add(DeviceQueue &queue) {
  Lock lock(mutex_);
  KILN_TRY(prepare());
  const SharedTableLayout layout(device_.info());
  auto index = std::ranges::find(queues_, nullptr);
  if (index == queues_.end())
    return fail(CL_OUT_OF_RESOURCES, "device ", device_.info().name, " has at most ", device_.info().maxDeviceQueues,
                " queues of its own in a context (CL_DEVICE_MAX_ON_DEVICE_QUEUES)");
  *index = &queue;
  queue.index_ = size_t(index - queues_.begin());
  queue.address_ = hostWrittenTables_->address + queue.index_ * sizeof(abi::DeviceQueue);
  // Kernels' bytes of the queue that had this index before have all been released.
  abi::DeviceQueue &table = queueTable()[queue.index_];
  table.capacity = queue.size();
  table.taken = kernelWrittenTables_.address() + layout.queueTaken(queue.index_);
  largest_ = std::max<uint64_t>(largest_, queue.size());
  return {};
}

void DeviceScheduler::remove(DeviceQueue &queue) noexcept {
  Lock lock(mutex_);
  if (!queue.address_)
    return;
  queues_[queue.index_] = nullptr;
  queueTable()[queue.index_].capacity = 0;
  if (default_ == &queue)
    default_ = nullptr;
}

Ref<DeviceQueue> DeviceScheduler::defaultQueue() {
  Lock lock(mutex_);
  return default_;
}

void DeviceScheduler::setDefault(DeviceQueue &queue) {
  Lock lock(mutex_);
  default_ = &queue;
}

Ref<DeviceQueue> DeviceScheduler::getOrSetDefault(DeviceQueue &queue) {
  Lock lock(mutex_);
  if (!default_)
    default_ = &queue;
  return default_;
}

void DeviceScheduler::clearDefault(DeviceQueue &queue) {
  Lock lock(mutex_);
  if (default_ == &queue)
    default_ = nullptr;
}

// ---- arenas ---------------------------------------------------------------------------------------------------------

Result<MirroredMemory> DeviceScheduler::acquireArena(size_t head) {
  size_t bytes;
  {
    Lock lock(mutex_);
    KILN_TRY(prepare());
    bytes = head + largest_;
    ++arenasInUse_;
    for (MirroredMemory &arena : arenas_)
      if (arena.size() >= bytes) {
        MirroredMemory taken = std::move(arena);
        arena = std::move(arenas_.back());
        arenas_.pop_back();
        return taken;
      }
  }
  Result<MirroredMemory> made = MirroredMemory::create(device_.device(), bytes, eventBytes());
  if (!made.ok()) {
    Lock lock(mutex_);
    --arenasInUse_;
  }
  return made;
}

void DeviceScheduler::releaseArena(MirroredMemory arena) noexcept {
  DeferredActions actions;
  {
    Lock lock(mutex_);
    keepArena(std::move(arena), actions);
  }
  run(actions);
}

void DeviceScheduler::keepArena(MirroredMemory arena, DeferredActions &actions) {
  --arenasInUse_;
  if (arenas_.size() < Arenas)
    arenas_.push_back(std::move(arena)); // has capacity
  if (ChildCommand *child = waitingForArena_) {
    waitingForArena_ = child->next;
    actions.addReady(*child);
  }
}

// ---- children -------------------------------------------------------------------------------------------------------

void DeviceScheduler::readRecords(LaunchRecords &of, LaunchRecords &root, CompletionNode &node,
                                  DeferredActions &actions) noexcept {
  const size_t used = of.usedBytes();
  for (size_t offset = 0; offset < used;) {
    const std::byte *at = of.arena_.at<std::byte>(of.records_ + offset);
    abi::EnqueueRecord record; // a copy: another kernel may still write to the arena
    if (used - offset >= sizeof record)
      std::memcpy(&record, at, sizeof record);
    const uint64_t operands = (uint64_t(record.waits) + record.locals) * 8 + (record.captured + 7) / 8 * 8;
    if (used - offset < sizeof record || record.captured > abi::MaxEnqueueRecord ||
        record.bytes != sizeof record + operands || record.bytes > used - offset) {
      KILN_LOG(Error, Program, "a kernel has overwritten its enqueue records");
      node.code = CL_OUT_OF_RESOURCES;
      break;
    }
    readRecord(root, node, record, at + sizeof record, actions);
    offset += record.bytes;
  }
  keepArena(std::move(of.arena_), actions);
}

void DeviceScheduler::readRecord(LaunchRecords &root, CompletionNode &node, const abi::EnqueueRecord &record,
                                 const std::byte *operands, DeferredActions &actions) noexcept {
  auto *waits = reinterpret_cast<const uint64_t *>(operands), *locals = waits + record.waits;
  ChildCommand *child = nullptr;
  try {
    child = new ChildCommand(*this, root, node, record.waits);
    const Status status = child->prepare(record, locals, reinterpret_cast<const std::byte *>(locals + record.locals));
    if (!status.ok())
      KILN_LOG(Error, Program, "a child command cannot run: ", status.message());
    child->failure = status.code();
  } catch (const std::bad_alloc &) {
    if (!child)
      return dropRecord(node, record, waits, actions);
    child->failure = CL_OUT_OF_HOST_MEMORY;
  }
  child->runs &= child->failure == CL_SUCCESS;
  child->bytes = record.bytes;
  child->queue = queueIndex(record);
  for (uint32_t i = 0; i < record.waits; ++i)
    addWaiter(*child, waits[i]);
  if (EventSlot *slot = find(record.event)) {
    child->event = uint32_t(slot - events_.data());
    child->needsTimes = true;
  }
  ++node.pending;
  onDependencyComplete(*child, CL_SUCCESS, actions);
}

void DeviceScheduler::dropRecord(CompletionNode &node, const abi::EnqueueRecord &record, const uint64_t *waits,
                                 DeferredActions &actions) noexcept {
  node.code = CL_OUT_OF_HOST_MEMORY;
  releaseQueueBytes(queueIndex(record), record.bytes);
  for (uint32_t i = 0; i < record.waits; ++i)
    if (EventSlot *slot = find(waits[i]))
      ++slot->releasedRefs;
  if (EventSlot *slot = find(record.event); slot && !slot->isComplete)
    completeEvent(*slot, CL_OUT_OF_HOST_MEMORY, actions);
}

size_t DeviceScheduler::queueIndex(const abi::EnqueueRecord &record) const {
  const uint64_t index = (record.queue - hostWrittenTables_->address) / sizeof(abi::DeviceQueue);
  return std::min<uint64_t>(index, queues_.size());
}

void DeviceScheduler::onDependencyComplete(ChildCommand &child, cl_int status, DeferredActions &actions) {
  if (status < 0 && !child.failure)
    child.failure = WaitFailed;
  if (--child.waits == 0)
    actions.addReady(child);
}

void DeviceScheduler::onChildEnded(ChildCommand &child, cl_int code, uint64_t start, uint64_t end) noexcept {
  child.start = start;
  child.end = end;
  if (child.children)
    return child.children->collectRecords(child.root, child.node, code);
  DeferredActions actions;
  {
    Lock lock(mutex_);
    completeChild(child, code, actions);
  }
  run(actions);
}

void DeviceScheduler::completeChild(ChildCommand &child, cl_int code, DeferredActions &actions) noexcept {
  releaseQueueBytes(child.queue, child.bytes);
  if (code < 0)
    child.node.code = code;
  countDown(&child.node, actions);
}

void DeviceScheduler::releaseQueueBytes(size_t queue, uint64_t bytes) {
  if (queue >= queues_.size())
    return;
  uint64_t &given = queueTable()[queue].given;
  store(given, given + bytes);
}

void DeviceScheduler::onLaunchEnded(LaunchRecords &of, LaunchRecords &root, CompletionNode &node,
                                    cl_int code) noexcept {
  DeferredActions actions;
  {
    Lock lock(mutex_);
    actions.pendingNode = &node;
    if (node.child)
      releaseQueueBytes(node.child->queue, node.child->bytes);
    if (code == CL_SUCCESS) {
      if (of.arena_.isCopied())
        applySnapshot(of.snapshot());
      scanNewEvents();
      const bool unseen = node.child && node.child->event == ChildCommand::NoEvent;
      readRecords(of, root, unseen ? *node.parent : node, actions);
      scanEvents(actions);
    } else {
      node.code = code;
      if (of.arena_)
        keepArena(std::move(of.arena_), actions);
    }
    countDown(&node, actions);
  }
  run(actions);
}

void DeviceScheduler::countDown(CompletionNode *node, DeferredActions &actions) {
  while (--node->pending == 0) {
    if (node->completion) {
      node->nextComplete = actions.completeRoots;
      actions.completeRoots = node;
      return;
    }
    ChildCommand &child = *node->child;
    if (child.event != ChildCommand::NoEvent) {
      const SharedTableLayout layout(device_.info());
      auto &times = hostWrittenAt<abi::EventTimes>(layout.times())[child.event];
      times.run = child.end - child.start;
      times.all = child.end ? nowNanoseconds() - child.start : 0;
      store(times.generation, hostWrittenAt<uint32_t>(layout.generations())[child.event]);
      actions.pendingNode = node->parent;
      events_[child.event].status = node->code;
      if (!publishProfiling(child.event, actions))
        completeEvent(events_[child.event], node->code, actions);
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

void DeviceScheduler::run(DeferredActions &actions) noexcept {
  LockedStream *used = nullptr; // the stream of launches by the host
  std::array<bool, Streams> flush{};
  while (ChildCommand *child = actions.popReady()) {
    if (!child->runs || child->failure) {
      Lock lock(mutex_);
      completeChild(*child, child->failure, actions);
      continue;
    }
    if (child->children && mustWaitForArena(*child))
      continue; // resumed when a launch releases its arena
    // This thread runs the first child of each tree on the launch's stream; pool threads run the others.
    LockedStream *stream = child->root.launchStream_;
    if (stream == used) {
      Lock lock(mutex_);
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

bool DeviceScheduler::mustWaitForArena(ChildCommand &child) {
  Lock lock(mutex_);
  if (!kernelWrittenTables_.isCopied() || arenasInUse_ < Arenas)
    return false;
  child.next = waitingForArena_;
  waitingForArena_ = &child;
  return true;
}

// ---- events ---------------------------------------------------------------------------------------------------------

DeviceScheduler::EventSlot *DeviceScheduler::find(uint64_t event) {
  const uint64_t number = (event & UINT32_MAX) - 1;
  const uint32_t *generations = hostWrittenAt<uint32_t>(SharedTableLayout(device_.info()).generations());
  return number < events_.size() && generations[number] == event >> 32 ? &events_[number] : nullptr;
}

void DeviceScheduler::addWaiter(ChildCommand &child, uint64_t event) noexcept {
  EventSlot *slot = find(event);
  if (!slot)
    return;             // complete, and freed
  ++slot->releasedRefs; // the reference that the kernel acquired for the record
  if (!slot->isComplete) {
    EventWaiter *waiter = &child.waiters.emplace_back(&child);
    (slot->lastWaiter ? slot->lastWaiter->next : slot->firstWaiter) = waiter;
    slot->lastWaiter = waiter;
    ++child.waits;
  } else if (slot->status < 0 && !child.failure) {
    child.failure = WaitFailed;
  }
}

void DeviceScheduler::completeEvent(EventSlot &slot, cl_int status, DeferredActions &actions) {
  slot.isComplete = true;
  slot.status = status;
  for (EventWaiter *waiter = slot.firstWaiter; waiter; waiter = waiter->next)
    onDependencyComplete(*waiter->child, status, actions);
  slot.firstWaiter = slot.lastWaiter = nullptr;
}

void DeviceScheduler::applySnapshot(const std::byte *snapshot) {
  const SharedTableLayout layout(device_.info());
  uint64_t changes;
  std::memcpy(&changes, snapshot + layout.changes(), sizeof changes);
  if (changes > *kernelWrittenTables_.at<uint64_t>(layout.changes())) // launches end in any order
    std::memcpy(kernelWrittenTables_.host(), snapshot, layout.kernelWrittenSize());
}

void DeviceScheduler::scanNewEvents() {
  const SharedTableLayout layout(device_.info());
  // Kernels may have written any number. They can acquire only events that the runtime has freed.
  const uint64_t acquired =
      std::min(load(*kernelWrittenTables_.at<uint64_t>(layout.eventsTaken())), eventTable()->given);
  for (; seen_ < acquired; ++seen_) {
    const uint32_t number = hostWrittenAt<uint32_t>(layout.free())[seen_ % layout.events];
    EventSlot &slot = events_[number];
    slot.liveIndex = uint32_t(live_.size());
    live_.push_back(number); // has capacity
    slot.releasedRefs = 0;
    slot.isComplete = slot.profiled = false;
  }
}

void DeviceScheduler::scanEvents(DeferredActions &actions) {
  for (size_t i = live_.size(); i-- > 0;) // backwards: freeing an event moves the last one to its index
    scanEvent(live_[i], actions);
}

void DeviceScheduler::scanEvent(uint32_t number, DeferredActions &actions) {
  const SharedTableLayout layout(device_.info());
  EventSlot &slot = events_[number];
  auto &event = kernelWrittenTables_.at<abi::DeviceEvent>(layout.eventList())[number];
  uint32_t &generation = hostWrittenAt<uint32_t>(layout.generations())[number];
  if (std::atomic_ref(event.generation).load(std::memory_order_acquire) != generation)
    return; // a kernel has acquired it and not written it yet
  const int32_t status = std::atomic_ref(event.status).load(std::memory_order_acquire);
  const bool released = std::atomic_ref(event.references).load(std::memory_order_acquire) == slot.releasedRefs;
  if (status <= CL_COMPLETE && !slot.isComplete)
    completeEvent(slot, status, actions);
  if (status == abi::EventPending && released) { // it cannot be set any more, and its dependents must not hang
    KILN_LOG(Warn, Event, "a kernel released a user event before its status was set");
    completeEvent(slot, WaitFailed, actions);
  }
  if (slot.isComplete)
    (void)publishProfiling(number, actions);
  if (!released || (!slot.isComplete && status != abi::EventDropped))
    return;
  ++generation;
  abi::DeviceEvents &table = *eventTable();
  hostWrittenAt<uint32_t>(layout.free())[table.given % layout.events] = number;
  store(table.given, table.given + 1);
  live_[slot.liveIndex] = live_.back();
  events_[live_.back()].liveIndex = slot.liveIndex;
  live_.pop_back();
}

bool DeviceScheduler::publishProfiling(uint32_t number, DeferredActions &actions) {
  const SharedTableLayout layout(device_.info());
  const auto &event = kernelWrittenTables_.at<abi::DeviceEvent>(layout.eventList())[number];
  EventSlot &slot = events_[number];
  if (event.generation != hostWrittenAt<uint32_t>(layout.generations())[number] ||
      event.status != abi::EventOfCommand || !event.profile || slot.profiled)
    return false;
  slot.profiled = true;
  const auto &known = hostWrittenAt<abi::EventTimes>(layout.times())[number];
  const std::array<uint64_t, 2> times{known.run, known.all};
  if (!kernelWrittenTables_.isCopied()) {
    std::memcpy(reinterpret_cast<void *>(event.profile), times.data(), sizeof times);
    return false;
  }
  try {
    std::unique_ptr<Memory> to = device_.device().wrapAddress(event.profile, sizeof times);
    assert(to); // device addresses differ from the host's
    auto *writer = new ProfilingWriter(*this, *actions.pendingNode, number, std::move(to), times);
    ++actions.pendingNode->pending;
    writer->next = actions.writers;
    actions.writers = writer;
    return true;
  } catch (const std::bad_alloc &) {
    actions.pendingNode->code = CL_OUT_OF_HOST_MEMORY;
    return false;
  }
}

uint64_t DeviceScheduler::eventsAddress() {
  Lock lock(mutex_);
  return hostWrittenTables_->address + SharedTableLayout(device_.info()).eventTable();
}

size_t DeviceScheduler::eventBytes() const { return SharedTableLayout(device_.info()).kernelWrittenSize(); }

Status DeviceScheduler::downloadEvents(Stream &stream, std::byte *to) {
  // The address of the memory is constant; other launches change only its contents.
  return kernelWrittenTables_.download(stream, 0, eventBytes(), to);
}

} // namespace kiln
