#include "runtime/memory/Residency.h"
#include "runtime/queue/Event.h"
#include "runtime/support/Log.h"
#include <algorithm>

namespace kiln {

Residency::PendingWrite::PendingWrite(Place place, bool isTransfer, Event &event)
    : place(place), isTransfer(isTransfer), event(&event) {
  event.addPendingWrite();
}
Residency::PendingWrite::PendingWrite(const PendingWrite &other)
    : PendingWrite(other.place, other.isTransfer, *other.event) {}
Residency::PendingWrite::PendingWrite(PendingWrite &&other) noexcept = default;
Residency::PendingWrite &Residency::PendingWrite::operator=(PendingWrite other) noexcept {
  place = other.place;
  isTransfer = other.isTransfer;
  std::swap(event, other.event);
  return *this;
}
Residency::PendingWrite::~PendingWrite() {
  if (event)
    event->removePendingWrite();
}

Residency::Residency(const Context &context, size_t size, std::byte *application)
    : context_(context), size_(size), application_(application), host_(application),
      slots_(new Slot[context.memories().size()]) {}
Residency::~Residency() = default;

Result<std::unique_ptr<Residency>> Residency::create(const Context &context, size_t size, void *host, bool hostFirst) {
  std::unique_ptr<Residency> made(new Residency(context, size, static_cast<std::byte *>(host)));
  if (context.placement())
    made->spans_.emplace(0, Span{size, hostFirst ? placeBit(HostPlace) : ~uint64_t(0), {}});
  if (hostFirst || !context.placement())
    (void)KILN_TRY(made->host());
  return made;
}

Result<std::unique_ptr<Residency>> Residency::create(const Context &context, size_t size, std::byte *host,
                                                     Ref<Allocation> allocation) {
  std::unique_ptr<Residency> made(new Residency(context, size, host));
  for (size_t i = 0; i < context.memories().size(); ++i)
    made->slots_[i].memory.store(allocation->on(*context.memories()[i]), std::memory_order_relaxed);
  made->allocation_ = std::move(allocation);
  return made;
}

Result<std::byte *> Residency::host() {
  if (std::byte *host = host_.load(std::memory_order_acquire))
    return host;
  Lock lock(mutex_);
  if (!host_.load(std::memory_order_relaxed))
    KILN_TRY(allocateHost());
  return host_.load(std::memory_order_relaxed);
}

Status Residency::allocateHost() {
  const std::vector<DeviceObject *> &devices = context_.memories();
  auto own = std::ranges::find_if(devices, [](DeviceObject *d) { return !d->info().sharesHostMemory; });
  auto sharing = std::ranges::find_if(devices, [](DeviceObject *d) { return d->info().sharesHostMemory; });
  if (own == devices.end()) {
    // The usual case: what the device has and what the host has is one.
    Slot &slot = slots_[size_t(sharing - devices.begin())];
    slot.owned = KILN_TRY((*sharing)->device().allocate(size_));
    host_.store(static_cast<std::byte *>(slot.owned->host), std::memory_order_release);
    slot.memory.store(slot.owned.get(), std::memory_order_release);
  } else {
    Result<std::unique_ptr<Memory>> made = (*own)->device().allocateHost(size_);
    if (!made.ok() && sharing != devices.end()) {
      // Pinned memory is scarcer than memory.
      KILN_LOG(Info, Memory, "host storage of ", size_, " bytes is not pinned: ", made.message());
      made = (*sharing)->device().allocateHost(size_);
    }
    hostMemory_ = KILN_TRY(std::move(made));
    host_.store(static_cast<std::byte *>(hostMemory_->host), std::memory_order_release);
  }
  KILN_LOG(Debug, Memory, "allocated ", size_, " bytes in the host's memory");
  return {};
}

Result<Memory *> Residency::on(const DeviceObject &device) {
  const size_t index = context_.memoryOf(device);
  Slot &slot = slots_[index];
  if (Memory *memory = slot.memory.load(std::memory_order_acquire))
    return memory;
  Lock lock(mutex_);
  if (!slot.memory.load(std::memory_order_relaxed))
    KILN_TRY(allocateOn(index));
  return slot.memory.load(std::memory_order_relaxed);
}

Status Residency::allocateOn(size_t memory) {
  DeviceObject &object = *context_.memories()[memory];
  Slot &slot = slots_[memory];
  if (allocation_)
    return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "device ", object.info().name, " has no part in the shared memory");
  if (object.info().sharesHostMemory) {
    if (!host_.load(std::memory_order_relaxed))
      KILN_TRY(allocateHost()); // which may have been all there is to do
    if (slot.memory.load(std::memory_order_relaxed))
      return {};
    slot.owned = KILN_TRY(object.device().import(host_.load(std::memory_order_relaxed), size_));
    if (!slot.owned)
      return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "device ", object.info().name, " cannot use the host's storage");
  } else {
    if (size_ > object.info().maxAllocSize)
      return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "a buffer of ", size_, " bytes is more than device ",
                  object.info().name, " allocates at once");
    slot.owned = KILN_TRY(object.device().allocate(size_));
    KILN_LOG(Debug, Memory, "allocated ", size_, " bytes on device ", object.label());
  }
  slot.memory.store(slot.owned.get(), std::memory_order_release);
  return {};
}

Status Residency::reserve(Place place) {
  if (place == HostPlace)
    return host().status();
  return on(*context_.memories()[place - 1]).status();
}

bool Residency::has(Place place) const {
  if (place == HostPlace)
    return host_.load(std::memory_order_acquire);
  return slots_[place - 1].memory.load(std::memory_order_acquire);
}

Region Residency::in(Place place, const DeviceObject &device) {
  Region region;
  if (place != HostPlace)
    region.memory = slots_[place - 1].memory.load(std::memory_order_acquire);
  else if (device.info().sharesHostMemory)
    region.memory = slots_[context_.memoryOf(device)].memory.load(std::memory_order_acquire);
  if (!region.memory)
    region.host = host_.load(std::memory_order_acquire);
  return region;
}

void Residency::cut(size_t at) {
  if (at >= size_)
    return;
  auto span = spanAt(at);
  if (span->first == at)
    return;
  spans_.emplace_hint(std::next(span), at, span->second); // first what may find no memory
  span->second.end = at;
}

void Residency::join(size_t begin, size_t end) {
  auto same = [](const Span &a, const Span &b) {
    return a.current == b.current &&
           std::ranges::equal(a.pendingWrites, b.pendingWrites, [](const PendingWrite &x, const PendingWrite &y) {
             return x.place == y.place && x.isTransfer == y.isTransfer && x.event == y.event;
           });
  };
  auto span = spanAt(begin);
  if (span != spans_.begin())
    --span;
  for (auto next = std::next(span); next != spans_.end() && span->first <= end; next = std::next(span)) {
    if (!same(span->second, next->second)) {
      span = next;
      continue;
    }
    span->second.end = next->second.end;
    spans_.erase(next);
  }
}

} // namespace kiln
