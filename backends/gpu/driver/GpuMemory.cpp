#include "backends/gpu/driver/GpuMemory.h"
#include "base/support/Log.h"
#include <algorithm>
#include <unistd.h>

namespace kiln::gpu {

GpuMemory::~GpuMemory() {
  Driver &driver = device.driver();
  switch (kind) {
  case Kind::External:
    return;
  case Kind::OnDevice:
    device.devicePool().release(block_);
    return;
  case Kind::Pinned:
    driver.pinned.remove(host);
    device.hostPool().release(block_);
    return;
  case Kind::Imported: {
    driver.pinned.remove(host);
    if (!device.usable())
      return;
    ScopedContext current(device);
    if (current)
      (void)device.run(driver.calls.unregisterHost, host);
    return;
  }
  case Kind::Managed: {
    driver.managed.remove(host);
    device.managedBytes -= size;
    if (!device.usable())
      return;
    ScopedContext current(device);
    if (current)
      (void)device.run(driver.calls.free, address);
    return;
  }
  case Kind::PeerPinned:
  case Kind::PeerManaged:
    return;
  }
}

Result<std::unique_ptr<Memory>> GpuDevice::allocate(size_t bytes) {
  KILN_TRY(open());
  ScopedContext current(*this);
  if (!current)
    return lostStatus();
  DriverMemoryPool::Block block = KILN_TRY(devicePool_.acquire(bytes));
  KILN_LOG(Debug, Memory, info_.name, ": ", bytes, " bytes at 0x", std::hex, block.address);
  auto *storage = new (std::nothrow) GpuMemory(*this, GpuMemory::Kind::OnDevice, block.address, nullptr, bytes, block);
  if (!storage) {
    devicePool_.release(block);
    throw std::bad_alloc();
  }
  return std::unique_ptr<Memory>(storage);
}

Result<std::unique_ptr<Memory>> GpuDevice::allocateHost(size_t bytes) {
  KILN_TRY(open());
  ScopedContext current(*this);
  if (!current)
    return lostStatus();
  DriverMemoryPool::Block block = KILN_TRY(hostPool_.acquire(bytes));
  void *host = reinterpret_cast<void *>(block.address);
  Address address = 0;
  Status status = run(driver_->calls.hostGetDevicePointer, &address, host, 0u);
  if (!status.ok()) {
    hostPool_.release(block);
    return status;
  }
  std::unique_ptr<Memory> storage(new (std::nothrow)
                                      GpuMemory(*this, GpuMemory::Kind::Pinned, address, host, bytes, block));
  if (!storage) {
    hostPool_.release(block);
    throw std::bad_alloc();
  }
  driver_->pinned.add(host, bytes);
  return storage;
}

std::unique_ptr<Memory> GpuDevice::wrapAddress(uint64_t address, size_t bytes) {
  return std::make_unique<GpuMemory>(*this, GpuMemory::Kind::External, address, nullptr, bytes,
                                     DriverMemoryPool::Block{});
}

Result<std::unique_ptr<Memory>> GpuDevice::allocateShared(size_t bytes) {
  if (!hasManagedMemory_)
    return std::unique_ptr<Memory>();
  KILN_TRY(open());
  ScopedContext current(*this);
  if (!current)
    return lostStatus();
  const DriverFunctions &calls = driver_->calls;
  // The driver overcommits managed memory and then moves pages back and forth.
  size_t left = 0, total = 0;
  KILN_TRY(run(calls.memGetInfo, &left, &total));
  if (bytes > left || bytes > total - std::min(total, managedBytes.load(std::memory_order_relaxed)))
    return std::unique_ptr<Memory>();
  Address address = 0;
  KILN_TRY(run(calls.allocManaged, &address, bytes, ForAllStreams));
  auto *host = reinterpret_cast<void *>(address);
  std::unique_ptr<Memory> storage(new (std::nothrow)
                                      GpuMemory(*this, GpuMemory::Kind::Managed, address, host, bytes, {}));
  if (!storage) {
    (void)run(calls.free, address);
    throw std::bad_alloc();
  }
  managedBytes += bytes;
  driver_->managed.add(host, bytes);
  return storage;
}

Result<std::unique_ptr<Memory>> GpuDevice::import(void *host, size_t bytes) {
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  if (!usable())
    return std::unique_ptr<Memory>();
  KILN_TRY(open());
  ScopedContext current(*this);
  if (!current)
    return std::unique_ptr<Memory>();
  const DriverFunctions &calls = driver_->calls;
  const bool managed = hasManagedMemory_ && driver_->managed.covers(host, bytes);
  if (managed || driver_->pinned.covers(host, bytes)) {
    Address address = Address(host);
    if (!managed)
      KILN_TRY(run(calls.hostGetDevicePointer, &address, host, 0u));
    const auto kind = managed ? GpuMemory::Kind::PeerManaged : GpuMemory::Kind::PeerPinned;
    return std::unique_ptr<Memory>(new GpuMemory(*this, kind, address, host, bytes, {}));
  }
  if (uintptr_t(host) % page || bytes % page)
    return std::unique_ptr<Memory>();
  // Fails for memory that is registered already or mapped from a file, and above the limit of locked memory.
  if (int code = calls.registerHost.function(host, bytes, HostPortable | HostMapped)) {
    KILN_LOG(Info, Memory, info_.name, " cannot import ", bytes, " bytes: ", driver_->errorName(code));
    return std::unique_ptr<Memory>();
  }
  Address address = 0;
  Status status = run(calls.hostGetDevicePointer, &address, host, 0u);
  if (!status.ok()) {
    (void)run(calls.unregisterHost, host);
    return status;
  }
  std::unique_ptr<Memory> storage(new (std::nothrow)
                                      GpuMemory(*this, GpuMemory::Kind::Imported, address, host, bytes, {}));
  if (!storage) {
    (void)run(calls.unregisterHost, host);
    throw std::bad_alloc();
  }
  driver_->pinned.add(host, bytes);
  return storage;
}

} // namespace kiln::gpu
