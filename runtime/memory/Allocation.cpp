#include "runtime/memory/Allocation.h"
#include "base/support/Checks.h"
#include "base/support/Log.h"
#include "runtime/memory/Context.h"
#include "runtime/memory/FreedMemory.h"
#include <algorithm>
#include <iterator>

namespace kiln {
namespace {

// Drivers register whole pages of host memory.
constexpr size_t PageBytes = 4096;

bool uses(const DeviceInfo &info, Allocation::Kind kind, bool own) {
  switch (kind) {
  case Allocation::Kind::Svm:
    return info.svm;
  case Allocation::Kind::Host:
    return info.usmHost;
  case Allocation::Kind::Device:
    return own && info.usmDevice;
  case Allocation::Kind::Shared:
    return (own && info.usmShared) || info.usmSharedAcross;
  }
  return false;
}

} // namespace

Result<Ref<Allocation>> Allocation::create(const Context &context, const Request &request) {
  Ref<Allocation> allocation(new Allocation(context, request));
  KILN_TRY(request.kind == Kind::Device ? allocation->makeOnDevice() : allocation->makeShared());
  KILN_LOG(Debug, Memory, "allocated ", request.size, " bytes at ", static_cast<void *>(allocation->begin()));
  return allocation;
}

Allocation::~Allocation() {
  imported_.clear(); // before the memory that they import
  if (checks().memory)
    keepFreed(std::move(memory_), size(), allocatedAt());
  memory_.reset();
  if (!freedSignal_)
    return;
  freedSignal_->freed_.store(1, std::memory_order_seq_cst);
  freedSignal_->waitQueue_.wake(freedSignal_->freed_);
}

Memory *Allocation::memoryFor(const DeviceObject &device) const {
  const size_t memory = context_.memoryIndexOf(device);
  if (memory == ownerNode_)
    return memory_.get();
  if (kind() != Kind::Device)
    return imported_[memory].get();
  const Device &owner = context_.memoryDevices()[ownerNode_]->device();
  return device.device().canAccessPeer(owner) ? memory_.get() : nullptr;
}

Status Allocation::makeOnDevice() {
  ownerNode_ = context_.memoryIndexOf(*request_.device);
  memory_ = KILN_TRY(request_.device->device().allocate(request_.size));
  return {};
}

Status Allocation::makeShared() {
  const std::vector<DeviceObject *> &memories = context_.memoryDevices();
  const DeviceInfo *owner = request_.device ? &request_.device->device().info() : nullptr;
  if (owner && owner->type != CL_DEVICE_TYPE_CPU)
    atomics_ |= (owner->usmShared & CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL) != 0;
  std::vector<DeviceObject *> users;
  for (DeviceObject *memory : memories) {
    const bool own = request_.device && &memory->root() == &request_.device->root();
    // A lost device would fail to import the memory; no command on it uses the memory either.
    if (uses(memory->info(), kind(), own) && memory->device().isAvailable())
      users.push_back(memory);
  }
  imported_.resize(memories.size());
  // A CPU can import any host memory and other devices cannot, so the others come first.
  std::vector<DeviceObject *> owners;
  for (bool cpus : {false, true})
    std::ranges::copy_if(users, std::back_inserter(owners), [&](const DeviceObject *device) {
      return (device->device().info().type == CL_DEVICE_TYPE_CPU) == cpus;
    });
  for (bool pages : {true, false})
    for (DeviceObject *owner : owners)
      if (pages ? kind() != Kind::Host : !atomics_)
        if (allocateOn(*owner, users, pages))
          return {};
  return fail(CL_OUT_OF_RESOURCES, "no device of the context can allocate ", size(),
              " bytes that all its devices have at one address");
}

bool Allocation::allocateOn(DeviceObject &owner, const std::vector<DeviceObject *> &users, bool pages) {
  size_t bytes = size();
  if (users.size() > 1 && bytes <= SIZE_MAX - PageBytes)
    bytes = (bytes + PageBytes - 1) / PageBytes * PageBytes;
  Result<std::unique_ptr<Memory>> made =
      pages ? owner.device().allocateShared(bytes) : owner.device().allocateHost(bytes);
  if (!made.ok()) {
    KILN_LOG(Info, Memory, "device ", owner.info().name, ": ", made.message());
    return false;
  }
  if (!*made || uint64_t((*made)->host) != (*made)->address)
    return false;
  std::vector<std::unique_ptr<Memory>> imported(context_.memoryDevices().size());
  for (DeviceObject *user : users) {
    if (user == &owner)
      continue;
    // Atomics of two devices are atomic to each other if both are atomic for the host, as a CPU's are, or if both
    // belong to one driver.
    if (atomics_ && user->device().info().type != CL_DEVICE_TYPE_CPU && !user->device().canAccessPeer(owner.device()))
      return false;
    Result<std::unique_ptr<Memory>> one = user->device().import((*made)->host, bytes);
    if (!one.ok() || !*one || (*one)->address != (*made)->address) {
      KILN_LOG(Info, Memory, "device ", user->info().name, " cannot import memory of device ", owner.info().name);
      return false;
    }
    imported[context_.memoryIndexOf(*user)] = std::move(*one);
  }
  memory_ = std::move(*made);
  imported_ = std::move(imported);
  ownerNode_ = context_.memoryIndexOf(owner);
  return true;
}

} // namespace kiln
