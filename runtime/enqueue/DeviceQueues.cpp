#include "runtime/enqueue/DeviceQueues.h"
#include "runtime/platform/RunSynchronously.h"
#include <algorithm>
#include <cstring>

namespace kiln {
namespace {

constexpr size_t MaxArenas = 32; // in use at once, if launches are issued before earlier ones end

// Kernels may change these counters concurrently.
uint64_t load(uint64_t &counter) { return std::atomic_ref(counter).load(std::memory_order_acquire); }
void store(uint64_t &counter, uint64_t value) { std::atomic_ref(counter).store(value, std::memory_order_release); }

} // namespace

// The default queue is not one of CL_DEVICE_MAX_ON_DEVICE_QUEUES.
DeviceQueues::Layout::Layout(const DeviceInfo &info) : queues(info.maxDeviceQueues + 1), events(info.maxDeviceEvents) {}

Status DeviceQueues::prepare() {
  if (hostWritten_)
    return {};
  const Layout layout(device_.info());
  std::unique_ptr<Memory> hostWrittenTables = KILN_TRY(device_.device().allocateHost(layout.hostWrittenSize()));
  MirroredMemory kernelWrittenTables = KILN_TRY(MirroredMemory::create(device_.device(), layout.kernelWrittenSize()));
  std::memset(kernelWrittenTables.host(), 0, layout.kernelWrittenSize());
  if (kernelWrittenTables.isCopied())
    KILN_TRY(runSynchronously(device_.device(), [&](Issuer &issuer) {
      return kernelWrittenTables.upload(issuer, 0, layout.kernelWrittenSize());
    }));
  slots_.resize(layout.events);
  inUse_.reserve(layout.events);
  arenas_.reserve(MaxArenas);
  queues_.resize(layout.queues);
  std::memset(hostWrittenTables->host, 0, layout.hostWrittenSize());
  hostWritten_ = std::move(hostWrittenTables);
  kernelWritten_ = std::move(kernelWrittenTables);
  *eventTable() = {.count = layout.events,
                   .released = layout.events,
                   .acquired = kernelWritten_.address() + layout.eventsAcquired(),
                   .changes = kernelWritten_.address() + layout.changes(),
                   .events = kernelWritten_.address() + layout.eventList(),
                   .free = hostWritten_->address + layout.free(),
                   .generations = hostWritten_->address + layout.generations(),
                   .times = hostWritten_->address + layout.times()};
  for (uint32_t event = 0; event < layout.events; ++event) {
    hostWritten<uint32_t>(layout.free())[event] = event;
    generation(event) = 1;
  }
  return {};
}

// ---- queues ---------------------------------------------------------------------------------------------------------

Status DeviceQueues::add(DeviceQueue &queue) {
  Lock lock(mutex_);
  KILN_TRY(prepare());
  auto index = std::ranges::find(queues_, nullptr);
  if (index == queues_.end())
    return fail(CL_OUT_OF_RESOURCES, "device ", device_.info().name, " has at most ", device_.info().maxDeviceQueues,
                " queues of its own in a context (CL_DEVICE_MAX_ON_DEVICE_QUEUES)");
  *index = &queue;
  queue.index_ = size_t(index - queues_.begin());
  queue.address_ = hostWritten_->address + queue.index_ * sizeof(abi::DeviceQueue);
  // Kernels' bytes of the queue that had this index before have all been released.
  abi::DeviceQueue &table = queueTable()[queue.index_];
  table.capacity = queue.size();
  table.acquired = kernelWritten_.address() + Layout(device_.info()).queueAcquired(queue.index_);
  largest_ = std::max<uint64_t>(largest_, queue.size());
  return {};
}

void DeviceQueues::remove(DeviceQueue &queue) noexcept {
  Lock lock(mutex_);
  if (!queue.address_)
    return;
  queues_[queue.index_] = nullptr;
  queueTable()[queue.index_].capacity = 0;
  if (default_ == &queue)
    default_ = nullptr;
}

Ref<DeviceQueue> DeviceQueues::defaultQueue() {
  Lock lock(mutex_);
  return default_;
}

void DeviceQueues::setDefault(DeviceQueue &queue) {
  Lock lock(mutex_);
  default_ = &queue;
}

Ref<DeviceQueue> DeviceQueues::getOrSetDefault(DeviceQueue &queue) {
  Lock lock(mutex_);
  if (!default_)
    default_ = &queue;
  return default_;
}

void DeviceQueues::clearDefault(DeviceQueue &queue) {
  Lock lock(mutex_);
  if (default_ == &queue)
    default_ = nullptr;
}

size_t DeviceQueues::queueIndex(const abi::EnqueueRecord &record) const {
  const uint64_t index = (record.queue - hostWritten_->address) / sizeof(abi::DeviceQueue);
  return std::min<uint64_t>(index, queues_.size());
}

abi::DeviceQueue DeviceQueues::tableOf(const DeviceQueue &queue) {
  Lock lock(mutex_);
  return queueTable()[queue.index_];
}

void DeviceQueues::releaseBytes(size_t queue, uint64_t bytes) {
  if (queue >= queues_.size())
    return;
  uint64_t &released = queueTable()[queue].released;
  store(released, released + bytes);
}

// ---- arenas ---------------------------------------------------------------------------------------------------------

Result<MirroredMemory> DeviceQueues::acquireArena(size_t head) {
  size_t bytes;
  {
    Lock lock(mutex_);
    KILN_TRY(prepare());
    bytes = head + largest_;
    ++arenasInUse_;
    for (MirroredMemory &arena : arenas_)
      if (arena.size() >= bytes) {
        MirroredMemory acquired = std::move(arena);
        arena = std::move(arenas_.back());
        arenas_.pop_back();
        return acquired;
      }
  }
  Result<MirroredMemory> made = MirroredMemory::create(device_.device(), bytes, kernelWrittenBytes());
  if (!made.ok()) {
    Lock lock(mutex_);
    --arenasInUse_;
  }
  return made;
}

void DeviceQueues::releaseArena(MirroredMemory arena) {
  --arenasInUse_;
  if (arenas_.size() < MaxArenas)
    arenas_.push_back(std::move(arena)); // has capacity
}

bool DeviceQueues::hasFreeArena() const { return !kernelWritten_.isCopied() || arenasInUse_ < MaxArenas; }

// ---- events ---------------------------------------------------------------------------------------------------------

abi::DeviceEvents *DeviceQueues::eventTable() const {
  return hostWritten<abi::DeviceEvents>(Layout(device_.info()).eventTable());
}

uint32_t &DeviceQueues::generation(uint32_t event) const {
  return hostWritten<uint32_t>(Layout(device_.info()).generations())[event];
}

uint64_t DeviceQueues::eventsAddress() {
  Lock lock(mutex_);
  return hostWritten_->address + Layout(device_.info()).eventTable();
}

size_t DeviceQueues::eventCopyBytes() const { return 2 * Layout(device_.info()).events * sizeof(uint32_t); }

abi::DeviceEvents DeviceQueues::copyEvents(std::byte *to) {
  Lock lock(mutex_);
  const Layout layout(device_.info());
  if (to) // the two are adjacent
    std::memcpy(to, hostWritten<std::byte>(layout.free()), eventCopyBytes());
  return *eventTable();
}

size_t DeviceQueues::kernelWrittenBytes() const { return Layout(device_.info()).kernelWrittenSize(); }

Status DeviceQueues::downloadTables(Issuer &issuer, std::byte *to) {
  // The address of the memory is constant; other launches change only its contents.
  return kernelWritten_.download(issuer, 0, kernelWrittenBytes(), to);
}

void DeviceQueues::applySnapshot(const std::byte *snapshot) {
  const Layout layout(device_.info());
  uint64_t changes;
  std::memcpy(&changes, snapshot + layout.changes(), sizeof changes);
  if (changes > *kernelWritten_.at<uint64_t>(layout.changes()))
    std::memcpy(kernelWritten_.host(), snapshot, layout.kernelWrittenSize());
}

void DeviceQueues::findNewEvents() {
  const Layout layout(device_.info());
  // Kernels may have written any number. They can acquire only events that the runtime has freed.
  const uint64_t written = load(*kernelWritten_.at<uint64_t>(layout.eventsAcquired()));
  for (const uint64_t acquired = std::min(written, eventTable()->released); found_ < acquired; ++found_) {
    const uint32_t event = hostWritten<uint32_t>(layout.free())[found_ % layout.events];
    EventSlot &slot = slots_[event];
    slot.liveIndex = uint32_t(inUse_.size());
    inUse_.push_back(event); // has capacity
    slot.releasedRefs = 0;
    slot.isComplete = slot.isProfiled = false;
  }
}

uint32_t DeviceQueues::findEvent(uint64_t event) const {
  const uint64_t index = (event & UINT32_MAX) - 1;
  return index < slots_.size() && generation(uint32_t(index)) == event >> 32 ? uint32_t(index) : NoEvent;
}

std::optional<DeviceQueues::KernelState> DeviceQueues::kernelState(uint32_t event) const {
  auto &written = kernelWritten_.at<abi::DeviceEvent>(Layout(device_.info()).eventList())[event];
  if (std::atomic_ref(written.generation).load(std::memory_order_acquire) != generation(event))
    return std::nullopt;
  return KernelState{.status = std::atomic_ref(written.status).load(std::memory_order_acquire),
                     .isReleased = std::atomic_ref(written.references).load(std::memory_order_acquire) ==
                                   slots_[event].releasedRefs,
                     .profile = std::atomic_ref(written.profile).load(std::memory_order_acquire)};
}

abi::EventTimes DeviceQueues::times(uint32_t event) const {
  return hostWritten<abi::EventTimes>(Layout(device_.info()).times())[event];
}

void DeviceQueues::setTimes(uint32_t event, uint64_t run, uint64_t all) {
  auto &times = hostWritten<abi::EventTimes>(Layout(device_.info()).times())[event];
  times.run = run;
  times.all = all;
  store(times.generation, generation(event));
}

void DeviceQueues::freeEvent(uint32_t event) {
  ++generation(event);
  const Layout layout(device_.info());
  abi::DeviceEvents &table = *eventTable();
  hostWritten<uint32_t>(layout.free())[table.released % layout.events] = event;
  store(table.released, table.released + 1);
  const uint32_t index = slots_[event].liveIndex;
  inUse_[index] = inUse_.back();
  slots_[inUse_.back()].liveIndex = index;
  inUse_.pop_back();
}

} // namespace kiln
