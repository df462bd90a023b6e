#include "runtime/memory/Residency.h"
#include "base/support/Log.h"
#include <algorithm>

namespace kiln {

Residency::PendingWrite::PendingWrite(MemoryNode node, bool isTransfer, BytesWriter &writer)
    : node(node), isTransfer(isTransfer), writer(&writer) {
  writer.addPendingWrite();
}
Residency::PendingWrite::PendingWrite(const PendingWrite &other)
    : PendingWrite(other.node, other.isTransfer, *other.writer) {}
Residency::PendingWrite::PendingWrite(PendingWrite &&other) noexcept = default;
Residency::PendingWrite &Residency::PendingWrite::operator=(PendingWrite other) noexcept {
  node = other.node;
  isTransfer = other.isTransfer;
  std::swap(writer, other.writer);
  return *this;
}
Residency::PendingWrite::~PendingWrite() {
  if (writer)
    writer->removePendingWrite();
}

Residency::Residency(const Context &context, size_t size, std::byte *hostPointer)
    : context_(context), size_(size), hostPointer_(hostPointer), host_(hostPointer),
      nodeStorage_(new NodeStorage[context.memoryDevices().size()]) {}
Residency::~Residency() = default;

Result<std::unique_ptr<Residency>> Residency::create(const Context &context, size_t size, void *host,
                                                     bool initialisedByHost) {
  std::unique_ptr<Residency> made(new Residency(context, size, static_cast<std::byte *>(host)));
  if (context.hasSeveralNodes())
    made->spans_.emplace(0, Span{size, initialisedByHost ? nodeBit(HostNode) : ~uint64_t(0), {}});
  if (initialisedByHost || !context.hasSeveralNodes())
    (void)KILN_TRY(made->host());
  return made;
}

Result<std::unique_ptr<Residency>> Residency::create(const Context &context, size_t size, std::byte *host,
                                                     Ref<Allocation> allocation) {
  std::unique_ptr<Residency> made(new Residency(context, size, host));
  for (size_t i = 0; i < context.memoryDevices().size(); ++i)
    made->nodeStorage_[i].memory.store(allocation->memoryFor(*context.memoryDevices()[i]), std::memory_order_relaxed);
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
  const std::vector<DeviceObject *> &devices = context_.memoryDevices();
  auto own = std::ranges::find_if(devices, [](DeviceObject *d) { return !d->info().sharesHostMemory; });
  auto sharing = std::ranges::find_if(devices, [](DeviceObject *d) { return d->info().sharesHostMemory; });
  if (own == devices.end()) {
    // No device has memory of its own: the host and the devices use one block.
    NodeStorage &storage = nodeStorage_[size_t(sharing - devices.begin())];
    storage.owned = KILN_TRY((*sharing)->device().allocate(size_));
    host_.store(static_cast<std::byte *>(storage.owned->host), std::memory_order_release);
    storage.memory.store(storage.owned.get(), std::memory_order_release);
  } else {
    Result<std::unique_ptr<Memory>> made = (*own)->device().allocateHost(size_);
    if (!made.ok() && sharing != devices.end()) {
      // Falls back to pageable memory: pinned memory is more limited.
      KILN_LOG(Info, Memory, "host storage of ", size_, " bytes is not pinned: ", made.message());
      made = (*sharing)->device().allocateHost(size_);
    }
    hostMemory_ = KILN_TRY(std::move(made));
    host_.store(static_cast<std::byte *>(hostMemory_->host), std::memory_order_release);
  }
  KILN_LOG(Debug, Memory, "allocated ", size_, " bytes in the host's memory");
  return {};
}

Result<Memory *> Residency::storageFor(const DeviceObject &device) {
  const size_t index = context_.memoryIndexOf(device);
  NodeStorage &storage = nodeStorage_[index];
  if (Memory *memory = storage.memory.load(std::memory_order_acquire))
    return memory;
  Lock lock(mutex_);
  if (!storage.memory.load(std::memory_order_relaxed))
    KILN_TRY(allocateOn(index));
  return storage.memory.load(std::memory_order_relaxed);
}

Status Residency::allocateOn(size_t memory) {
  DeviceObject &object = *context_.memoryDevices()[memory];
  NodeStorage &storage = nodeStorage_[memory];
  if (allocation_)
    return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "device ", object.info().name,
                " cannot access the allocation that contains the buffer");
  if (object.info().sharesHostMemory) {
    if (!host_.load(std::memory_order_relaxed))
      KILN_TRY(allocateHost()); // may have set the device's storage as well
    if (storage.memory.load(std::memory_order_relaxed))
      return {};
    storage.owned = KILN_TRY(object.device().import(host_.load(std::memory_order_relaxed), size_));
    if (!storage.owned)
      return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "device ", object.info().name, " cannot use the host's storage");
  } else {
    if (size_ > object.device().info().maxAllocSize)
      return fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "buffer size is ", size_,
                  ", more than CL_DEVICE_MAX_MEM_ALLOC_SIZE of device ", object.info().name, " allocates at once");
    storage.owned = KILN_TRY(object.device().allocate(size_));
    KILN_LOG(Debug, Memory, "allocated ", size_, " bytes on device ", object.label());
  }
  storage.memory.store(storage.owned.get(), std::memory_order_release);
  return {};
}

Status Residency::reserve(MemoryNode node) {
  if (node == HostNode)
    return host().status();
  return storageFor(*context_.memoryDevices()[node - 1]).status();
}

bool Residency::has(MemoryNode node) const {
  if (node == HostNode)
    return host_.load(std::memory_order_acquire);
  return nodeStorage_[node - 1].memory.load(std::memory_order_acquire);
}

Region Residency::regionIn(MemoryNode node, const DeviceObject &device) {
  Region region;
  if (node != HostNode)
    region.memory = nodeStorage_[node - 1].memory.load(std::memory_order_acquire);
  else if (device.info().sharesHostMemory)
    region.memory = nodeStorage_[context_.memoryIndexOf(device)].memory.load(std::memory_order_acquire);
  if (!region.memory)
    region.host = host_.load(std::memory_order_acquire);
  return region;
}

void Residency::splitAt(size_t at) {
  if (at >= size_)
    return;
  auto span = spanAt(at);
  if (span->first == at)
    return;
  spans_.emplace_hint(std::next(span), at, span->second); // before any change: it may throw
  span->second.end = at;
}

void Residency::coalesce(size_t begin, size_t end) {
  auto same = [](const Span &a, const Span &b) {
    return a.current == b.current &&
           std::ranges::equal(a.pendingWrites, b.pendingWrites, [](const PendingWrite &x, const PendingWrite &y) {
             return x.node == y.node && x.isTransfer == y.isTransfer && x.writer == y.writer;
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
