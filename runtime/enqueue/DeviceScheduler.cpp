#include "runtime/enqueue/DeviceScheduler.h"
#include "runtime/enqueue/Child.h"
#include "runtime/queue/RunSynchronously.h"
#include "runtime/support/Log.h"
#include "runtime/support/Trace.h"
#include <algorithm>
#include <cassert>
#include <cstring>

namespace kiln {
namespace {

constexpr size_t Streams = 3; // beside those of the launches from the host
constexpr size_t Arenas = 32; // at a time, where launches are issued ahead of their turn
constexpr cl_int WaitFailed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;

// What kernels count while this reads.
uint64_t load(uint64_t &counter) { return std::atomic_ref(counter).load(std::memory_order_acquire); }
void store(uint64_t &counter, uint64_t value) { std::atomic_ref(counter).store(value, std::memory_order_release); }

/// Where things are in the memory that the runtime writes, and in that which kernels write.
struct Layout {
  // The default queue does not count as one of those that an application may create.
  explicit Layout(const DeviceInfo &info) : queues(info.maxDeviceQueues + 1), events(info.maxDeviceEvents) {}
  const size_t queues, events;
  size_t eventTable() const { return queues * sizeof(abi::DeviceQueue); }
  size_t free() const { return eventTable() + sizeof(abi::DeviceEvents); }
  size_t generations() const { return free() + events * sizeof(uint32_t); }
  size_t times() const { return generations() + events * sizeof(uint32_t); }
  size_t runtimeSize() const { return times() + events * sizeof(abi::EventTimes); }
  size_t queueTaken(size_t place) const { return place * sizeof(uint64_t); }
  size_t eventsTaken() const { return queues * sizeof(uint64_t); }
  size_t changes() const { return eventsTaken() + sizeof(uint64_t); }
  size_t eventList() const { return changes() + sizeof(uint64_t); }
  size_t kernelSize() const { return eventList() + events * sizeof(abi::DeviceEvent); }
};

} // namespace

/// An event's number, as the runtime knows it.
struct DeviceScheduler::Slot {
  uint32_t place = 0;    // in the list of live ones
  uint32_t returned = 0; // references that the runtime gave back
  bool over = false;     // the command is complete, the user event set
  bool profiled = false;
  cl_int status = CL_SUCCESS; // once it is over
  std::vector<Child *> waiters;
};

/// Lists through what is on them: nothing here can run out of memory.
struct DeviceScheduler::Turn {
  Child *firstReady = nullptr, *lastReady = nullptr;
  Child *dead = nullptr;
  Family *endedRoots = nullptr;
  TimesWriter *writers = nullptr;
  Family *open = nullptr; // one that this turn has not counted down yet

  void ready(Child &child) {
    child.next = nullptr;
    (lastReady ? lastReady->next : firstReady) = &child;
    lastReady = &child;
  }
  Child *takeReady() {
    Child *child = firstReady;
    if (child && !(firstReady = child->next))
      lastReady = nullptr;
    return child;
  }
};

/// Brings the times of a command to where a kernel wants them, in memory that the host does not see; then its event is
/// over.
class DeviceScheduler::TimesWriter final : public Operation {
public:
  TimesWriter(DeviceScheduler &scheduler, Family &family, uint32_t number, std::unique_ptr<Memory> to,
              std::array<uint64_t, 2> times)
      : scheduler_(scheduler), family_(family), number_(number), to_(std::move(to)), times_(times) {}
  Status issue(Stream &stream) override {
    Region from, to{.memory = to_.get()};
    from.host = reinterpret_cast<std::byte *>(times_.data());
    from.extent = to.extent = {sizeof times_, 1, 1};
    from.rowPitch = from.slicePitch = to.rowPitch = to.slicePitch = sizeof times_;
    return stream.copy(to, from);
  }
  void onEnded(cl_int code, uint64_t, uint64_t) noexcept override {
    DeviceScheduler &scheduler = scheduler_;
    Turn turn;
    {
      Lock lock(scheduler.mutex_);
      if (code < 0)
        family_.code = code;
      turn.open = &family_;
      Slot &slot = scheduler.slots_[number_];
      scheduler.settle(slot, slot.status, turn);
      scheduler.readEvent(number_, turn);
      scheduler.countDown(&family_, turn);
    }
    delete this;
    scheduler.run(turn);
  }
  TimesWriter *next = nullptr;

private:
  DeviceScheduler &scheduler_;
  Family &family_; // counts this
  const uint32_t number_;
  const std::unique_ptr<Memory> to_;
  std::array<uint64_t, 2> times_;
};

DeviceScheduler::DeviceScheduler(DeviceObject &device) : device_(device) {}
DeviceScheduler::~DeviceScheduler() = default;

// ---- queues ---------------------------------------------------------------------------------------------------------

abi::DeviceQueue *DeviceScheduler::queueTable() const {
  return reinterpret_cast<abi::DeviceQueue *>(runtimeSide_->host);
}
abi::DeviceEvents *DeviceScheduler::eventTable() {
  return runtimeAt<abi::DeviceEvents>(Layout(device_.info()).eventTable());
}

Status DeviceScheduler::prepare() {
  if (runtimeSide_)
    return {};
  const Layout layout(device_.info());
  std::unique_ptr<Memory> runtimeSide = KILN_TRY(device_.device().allocateHost(layout.runtimeSize()));
  SharedMemory kernelSide = KILN_TRY(SharedMemory::create(device_.device(), layout.kernelSize()));
  if (kernelSide.isCopied())
    KILN_TRY(runSynchronously(device_.device(), [&](Stream &stream) {
      std::memset(kernelSide.host(), 0, layout.kernelSize());
      return kernelSide.publish(stream, 0, layout.kernelSize());
    }));
  else
    std::memset(kernelSide.host(), 0, layout.kernelSize());
  while (streams_.size() < Streams)
    streams_.push_back(KILN_TRY(LockedStream::create(device_)));
  slots_.resize(layout.events);
  live_.reserve(layout.events);
  arenas_.reserve(Arenas);
  queues_.resize(layout.queues);
  std::memset(runtimeSide->host, 0, layout.runtimeSize());
  runtimeSide_ = std::move(runtimeSide);
  kernelSide_ = std::move(kernelSide);
  *eventTable() = {.count = layout.events,
                   .given = layout.events,
                   .taken = kernelSide_.address() + layout.eventsTaken(),
                   .changes = kernelSide_.address() + layout.changes(),
                   .events = kernelSide_.address() + layout.eventList(),
                   .free = runtimeSide_->address + layout.free(),
                   .generations = runtimeSide_->address + layout.generations(),
                   .times = runtimeSide_->address + layout.times()};
  for (uint32_t number = 0; number < layout.events; ++number) {
    runtimeAt<uint32_t>(layout.free())[number] = number;
    runtimeAt<uint32_t>(layout.generations())[number] = 1;
  }
  return {};
}

Status DeviceScheduler::add(DeviceQueue &queue) {
  Lock lock(mutex_);
  KILN_TRY(prepare());
  const Layout layout(device_.info());
  auto place = std::ranges::find(queues_, nullptr);
  if (place == queues_.end())
    return fail(CL_OUT_OF_RESOURCES, "device ", device_.info().name, " has no more than ",
                device_.info().maxDeviceQueues, " queues of its own in a context (CL_DEVICE_MAX_ON_DEVICE_QUEUES)");
  *place = &queue;
  queue.place_ = size_t(place - queues_.begin());
  queue.address_ = runtimeSide_->address + queue.place_ * sizeof(abi::DeviceQueue);
  // All that kernels took through this place before has been given back.
  abi::DeviceQueue &table = queueTable()[queue.place_];
  table.capacity = queue.size();
  table.taken = kernelSide_.address() + layout.queueTaken(queue.place_);
  largest_ = std::max<uint64_t>(largest_, queue.size());
  return {};
}

void DeviceScheduler::remove(DeviceQueue &queue) noexcept {
  Lock lock(mutex_);
  if (!queue.address_)
    return;
  queues_[queue.place_] = nullptr;
  queueTable()[queue.place_].capacity = 0;
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

Ref<DeviceQueue> DeviceScheduler::offerDefault(DeviceQueue &queue) {
  Lock lock(mutex_);
  if (!default_)
    default_ = &queue;
  return default_;
}

void DeviceScheduler::forgetDefault(DeviceQueue &queue) {
  Lock lock(mutex_);
  if (default_ == &queue)
    default_ = nullptr;
}

// ---- arenas ---------------------------------------------------------------------------------------------------------

Result<SharedMemory> DeviceScheduler::takeArena(size_t head) {
  size_t bytes;
  {
    Lock lock(mutex_);
    KILN_TRY(prepare());
    bytes = head + largest_;
    ++arenasTaken_;
    for (SharedMemory &arena : arenas_)
      if (arena.size() >= bytes) {
        SharedMemory taken = std::move(arena);
        arena = std::move(arenas_.back());
        arenas_.pop_back();
        return taken;
      }
  }
  Result<SharedMemory> made = SharedMemory::create(device_.device(), bytes, eventBytes());
  if (!made.ok()) {
    Lock lock(mutex_);
    --arenasTaken_;
  }
  return made;
}

void DeviceScheduler::giveArena(SharedMemory arena) noexcept {
  Turn turn;
  {
    Lock lock(mutex_);
    putBack(std::move(arena), turn);
  }
  run(turn);
}

void DeviceScheduler::putBack(SharedMemory arena, Turn &turn) {
  --arenasTaken_;
  if (arenas_.size() < Arenas)
    arenas_.push_back(std::move(arena)); // there is room
  if (Child *child = starving_) {
    starving_ = child->next;
    turn.ready(*child);
  }
}

// ---- children -------------------------------------------------------------------------------------------------------

void DeviceScheduler::readRecords(Children &of, Children &root, Family &family, Turn &turn) noexcept {
  const auto &head = *of.arena_.at<abi::EnqueueArena>();
  const size_t begin = head.records - of.arena_.address();
  const uint64_t used = std::min<uint64_t>(head.used, of.arena_.size() - begin);
  for (uint64_t offset = 0; offset < used;) {
    const auto &record = *of.arena_.at<abi::EnqueueRecord>(begin + offset);
    const uint64_t behind = (uint64_t(record.waits) + record.locals) * 8 + (record.captured + 7) / 8 * 8;
    if (record.captured > abi::MaxEnqueueRecord || record.bytes != sizeof record + behind ||
        record.bytes > used - offset) {
      KILN_LOG(Error, Program, "a kernel has written into the records of what it enqueues");
      family.code = CL_OUT_OF_RESOURCES;
      break;
    }
    try {
      readRecord(root, family, record, turn);
    } catch (const std::bad_alloc &) {
      family.code = CL_OUT_OF_HOST_MEMORY;
    }
    offset += record.bytes;
  }
  putBack(std::move(of.arena_), turn);
}

void DeviceScheduler::readRecord(Children &root, Family &family, const abi::EnqueueRecord &record, Turn &turn) {
  const uint64_t place = (record.queue - runtimeSide_->address) / sizeof(abi::DeviceQueue);
  auto *waits = reinterpret_cast<const uint64_t *>(&record + 1), *locals = waits + record.waits;
  auto child = std::make_unique<Child>(*this, root, family);
  child->bytes = record.bytes;
  child->queue = std::min<uint64_t>(place, queues_.size());
  const Status status = child->prepare(record, locals, reinterpret_cast<const std::byte *>(locals + record.locals));
  if (!status.ok()) {
    KILN_LOG(Error, Program, "what a kernel enqueued cannot run: ", status.message());
    child->failure = status.code();
    child->runs = false;
  }
  for (uint32_t i = 0; i < record.waits; ++i)
    waitFor(*child, waits[i]);
  if (Slot *slot = find(record.event)) {
    child->event = uint32_t(slot - slots_.data());
    child->needsTimes = true;
  }
  ++family.open;
  dependencyEnded(*child.release(), CL_SUCCESS, turn);
}

void DeviceScheduler::dependencyEnded(Child &child, cl_int status, Turn &turn) {
  if (status < 0 && !child.failure)
    child.failure = WaitFailed;
  if (--child.waits == 0)
    turn.ready(child);
}

void DeviceScheduler::childEnded(Child &child, cl_int code, uint64_t start, uint64_t end) noexcept {
  child.start = start;
  child.end = end;
  if (child.children)
    return child.children->collect(child.root, child.family, code);
  Turn turn;
  {
    Lock lock(mutex_);
    endLocked(child, code, turn);
  }
  run(turn);
}

void DeviceScheduler::endLocked(Child &child, cl_int code, Turn &turn) noexcept {
  giveBack(child);
  if (code < 0)
    child.family.code = code;
  countDown(&child.family, turn);
}

void DeviceScheduler::giveBack(const Child &child) {
  if (child.queue >= queues_.size())
    return;
  uint64_t &given = queueTable()[child.queue].given;
  store(given, given + child.bytes);
}

void DeviceScheduler::launchEnded(Children &of, Children &root, Family &family, cl_int code) noexcept {
  Turn turn;
  {
    Lock lock(mutex_);
    turn.open = &family;
    if (family.child)
      giveBack(*family.child);
    if (code == CL_SUCCESS) {
      if (of.arena_.isCopied())
        seeEvents(of.snapshot());
      noticeEvents();
      const bool unseen = family.child && family.child->event == Child::NoEvent;
      readRecords(of, root, unseen ? *family.parent : family, turn);
      readEvents(turn);
    } else {
      family.code = code;
      if (of.arena_)
        putBack(std::move(of.arena_), turn);
    }
    countDown(&family, turn);
  }
  run(turn);
}

void DeviceScheduler::countDown(Family *family, Turn &turn) {
  while (--family->open == 0) {
    if (family->ancestor) {
      family->nextEnded = turn.endedRoots;
      turn.endedRoots = family;
      return;
    }
    Child &child = *family->child;
    if (child.event != Child::NoEvent) {
      const Layout layout(device_.info());
      auto &times = runtimeAt<abi::EventTimes>(layout.times())[child.event];
      times.run = child.end - child.start;
      times.all = child.end ? nowNanoseconds() - child.start : 0;
      store(times.generation, runtimeAt<uint32_t>(layout.generations())[child.event]);
      turn.open = family->parent;
      slots_[child.event].status = family->code;
      if (!tellTimes(child.event, turn))
        settle(slots_[child.event], family->code, turn);
      readEvent(child.event, turn);
    }
    child.next = turn.dead;
    turn.dead = &child;
    Family *parent = family->parent;
    if (parent->code == CL_SUCCESS)
      parent->code = family->code;
    family = parent;
  }
}

void DeviceScheduler::run(Turn &turn) noexcept {
  LockedStream *used = nullptr; // of the launches from the host
  std::array<bool, Streams> flush{};
  while (Child *child = turn.takeReady()) {
    if (!child->runs || child->failure) {
      Lock lock(mutex_);
      endLocked(*child, child->failure, turn);
      continue;
    }
    if (child->children && starves(*child))
      continue; // until a launch gives its arena back
    // The thread that is here goes on with what lies on its own stream; the rest is for others.
    LockedStream *stream = child->root.home_;
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
  while (TimesWriter *writer = turn.writers) {
    turn.writers = writer->next;
    streams_[0]->submit(*writer);
    flush[0] = true;
  }
  if (used)
    (*used)->flush();
  for (size_t i = 0; i < Streams; ++i)
    if (flush[i])
      (*streams_[i])->flush();
  while (Child *child = turn.dead) {
    turn.dead = child->next;
    delete child;
  }
  while (Family *root = turn.endedRoots) {
    turn.endedRoots = root->nextEnded;
    root->ancestor->descendantsEnded(root->code);
  }
}

bool DeviceScheduler::starves(Child &child) {
  Lock lock(mutex_);
  if (!kernelSide_.isCopied() || arenasTaken_ < Arenas)
    return false;
  child.next = starving_;
  starving_ = &child;
  return true;
}

// ---- events ---------------------------------------------------------------------------------------------------------

DeviceScheduler::Slot *DeviceScheduler::find(uint64_t event) {
  const uint64_t number = (event & UINT32_MAX) - 1;
  const uint32_t *generations = runtimeAt<uint32_t>(Layout(device_.info()).generations());
  return number < slots_.size() && generations[number] == event >> 32 ? &slots_[number] : nullptr;
}

void DeviceScheduler::waitFor(Child &child, uint64_t event) {
  Slot *slot = find(event);
  if (!slot)
    return;         // it has come, and is forgotten
  ++slot->returned; // the reference that the kernel took for the record
  if (!slot->over) {
    slot->waiters.push_back(&child);
    ++child.waits;
  } else if (slot->status < 0 && !child.failure) {
    child.failure = WaitFailed;
  }
}

void DeviceScheduler::settle(Slot &slot, cl_int status, Turn &turn) {
  slot.over = true;
  slot.status = status;
  for (Child *waiter : slot.waiters)
    dependencyEnded(*waiter, status, turn);
  slot.waiters.clear();
}

void DeviceScheduler::seeEvents(const std::byte *snapshot) {
  const Layout layout(device_.info());
  uint64_t changes;
  std::memcpy(&changes, snapshot + layout.changes(), sizeof changes);
  if (changes > *kernelSide_.at<uint64_t>(layout.changes())) // launches end in any order
    std::memcpy(kernelSide_.host(), snapshot, layout.kernelSize());
}

void DeviceScheduler::noticeEvents() {
  const Layout layout(device_.info());
  const uint64_t taken = load(*kernelSide_.at<uint64_t>(layout.eventsTaken()));
  for (; seen_ != taken; ++seen_) {
    const uint32_t number = runtimeAt<uint32_t>(layout.free())[seen_ % layout.events];
    Slot &slot = slots_[number];
    slot.place = uint32_t(live_.size());
    live_.push_back(number); // there is room
    slot.returned = 0;
    slot.over = slot.profiled = false;
  }
}

void DeviceScheduler::readEvents(Turn &turn) {
  for (size_t i = live_.size(); i-- > 0;) // one that is freed gives its place to the last
    readEvent(live_[i], turn);
}

void DeviceScheduler::readEvent(uint32_t number, Turn &turn) {
  const Layout layout(device_.info());
  Slot &slot = slots_[number];
  auto &event = kernelSide_.at<abi::DeviceEvent>(layout.eventList())[number];
  uint32_t &generation = runtimeAt<uint32_t>(layout.generations())[number];
  if (std::atomic_ref(event.generation).load(std::memory_order_acquire) != generation)
    return; // a kernel is about to fill it in
  const int32_t status = std::atomic_ref(event.status).load(std::memory_order_acquire);
  const bool released = std::atomic_ref(event.references).load(std::memory_order_acquire) == slot.returned;
  if (status <= CL_COMPLETE && !slot.over)
    settle(slot, status, turn);
  if (status == abi::EventPending && released) { // nobody can set it any more: what waits for it must not hang
    KILN_LOG(Warn, Event, "a kernel released a user event before its status was set");
    settle(slot, WaitFailed, turn);
  }
  if (slot.over)
    (void)tellTimes(number, turn);
  if (!released || (!slot.over && status != abi::EventDropped))
    return;
  ++generation;
  abi::DeviceEvents &table = *eventTable();
  runtimeAt<uint32_t>(layout.free())[table.given % layout.events] = number;
  store(table.given, table.given + 1);
  live_[slot.place] = live_.back();
  slots_[live_.back()].place = slot.place;
  live_.pop_back();
}

bool DeviceScheduler::tellTimes(uint32_t number, Turn &turn) {
  const Layout layout(device_.info());
  const auto &event = kernelSide_.at<abi::DeviceEvent>(layout.eventList())[number];
  Slot &slot = slots_[number];
  if (event.generation != runtimeAt<uint32_t>(layout.generations())[number] || event.status != abi::EventOfCommand ||
      !event.profile || slot.profiled)
    return false;
  slot.profiled = true;
  const auto &known = runtimeAt<abi::EventTimes>(layout.times())[number];
  const std::array<uint64_t, 2> times{known.run, known.all};
  if (!kernelSide_.isCopied()) {
    std::memcpy(reinterpret_cast<void *>(event.profile), times.data(), sizeof times);
    return false;
  }
  try {
    std::unique_ptr<Memory> to = device_.device().wrapAddress(event.profile, sizeof times);
    assert(to); // kernels of such a device have addresses of its own
    auto *writer = new TimesWriter(*this, *turn.open, number, std::move(to), times);
    ++turn.open->open;
    writer->next = turn.writers;
    turn.writers = writer;
    return true;
  } catch (const std::bad_alloc &) {
    turn.open->code = CL_OUT_OF_HOST_MEMORY;
    return false;
  }
}

uint64_t DeviceScheduler::eventsAddress() {
  Lock lock(mutex_);
  return runtimeSide_->address + Layout(device_.info()).eventTable();
}

size_t DeviceScheduler::eventBytes() const { return Layout(device_.info()).kernelSize(); }

Status DeviceScheduler::fetchEvents(Stream &stream, std::byte *to) {
  // The memory stays where it is; other launches change only what is in it.
  return kernelSide_.fetch(stream, 0, eventBytes(), to);
}

} // namespace kiln
