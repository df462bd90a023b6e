#include "backends/gpu/driver/Storage.h"
#include "runtime/support/Log.h"
#include <algorithm>
#include <unistd.h>

namespace kiln::gpu {

Storage::~Storage() {
  Driver &driver = device.driver();
  switch (kind) {
  case Kind::Named:
    return;
  case Kind::OnDevice:
    device.deviceBlocks().give(block_);
    return;
  case Kind::Pinned:
    driver.pinned.remove(host);
    device.hostBlocks().give(block_);
    return;
  case Kind::Imported: {
    driver.pinned.remove(host);
    if (!device.usable())
      return;
    Current current(device);
    (void)device.run(driver.calls.unregisterHost, host);
    return;
  }
  case Kind::Pages: {
    driver.shared.remove(host);
    device.sharedBytes -= size;
    if (!device.usable())
      return;
    Current current(device);
    (void)device.run(driver.calls.free, address);
    return;
  }
  case Kind::PinnedThere:
  case Kind::PagesThere:
    return;
  }
}

Result<std::unique_ptr<Memory>> GpuDevice::allocate(size_t bytes) {
  KILN_TRY(open());
  Current current(*this);
  Blocks::Block block = KILN_TRY(deviceBlocks_.take(bytes));
  KILN_LOG(Debug, Memory, info_.name, ": ", bytes, " bytes at 0x", std::hex, block.address);
  auto *storage = new (std::nothrow) Storage(*this, Storage::Kind::OnDevice, block.address, nullptr, bytes, block);
  if (!storage) {
    deviceBlocks_.give(block);
    throw std::bad_alloc();
  }
  return std::unique_ptr<Memory>(storage);
}

Result<std::unique_ptr<Memory>> GpuDevice::allocateHost(size_t bytes) {
  KILN_TRY(open());
  Current current(*this);
  Blocks::Block block = KILN_TRY(hostBlocks_.take(bytes));
  void *host = reinterpret_cast<void *>(block.address);
  Address address = 0;
  Status status = run(driver_->calls.hostAddress, &address, host, 0u);
  if (!status.ok()) {
    hostBlocks_.give(block);
    return status;
  }
  std::unique_ptr<Memory> storage(new (std::nothrow)
                                      Storage(*this, Storage::Kind::Pinned, address, host, bytes, block));
  if (!storage) {
    hostBlocks_.give(block);
    throw std::bad_alloc();
  }
  driver_->pinned.add(host, bytes);
  return storage;
}

std::unique_ptr<Memory> GpuDevice::named(uint64_t address, size_t bytes) {
  return std::make_unique<Storage>(*this, Storage::Kind::Named, address, nullptr, bytes, Blocks::Block{});
}

Result<std::unique_ptr<Memory>> GpuDevice::allocateShared(size_t bytes) {
  if (!sharesPages_)
    return std::unique_ptr<Memory>();
  KILN_TRY(open());
  Current current(*this);
  const Calls &calls = driver_->calls;
  // The driver gives out more than there is, and then moves pages to and fro.
  size_t left = 0, total = 0;
  KILN_TRY(run(calls.memoryLeft, &left, &total));
  if (bytes > left || bytes > total - std::min(total, sharedBytes.load(std::memory_order_relaxed)))
    return std::unique_ptr<Memory>();
  Address address = 0;
  KILN_TRY(run(calls.allocateShared, &address, bytes, ForAllStreams));
  auto *host = reinterpret_cast<void *>(address);
  std::unique_ptr<Memory> storage(new (std::nothrow) Storage(*this, Storage::Kind::Pages, address, host, bytes, {}));
  if (!storage) {
    (void)run(calls.free, address);
    throw std::bad_alloc();
  }
  sharedBytes += bytes;
  driver_->shared.add(host, bytes);
  return storage;
}

Result<std::unique_ptr<Memory>> GpuDevice::import(void *host, size_t bytes) {
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  if (!usable())
    return std::unique_ptr<Memory>();
  KILN_TRY(open());
  Current current(*this);
  const Calls &calls = driver_->calls;
  const bool pages = sharesPages_ && driver_->shared.covers(host, bytes);
  if (pages || driver_->pinned.covers(host, bytes)) {
    Address address = Address(host);
    if (!pages)
      KILN_TRY(run(calls.hostAddress, &address, host, 0u));
    const auto kind = pages ? Storage::Kind::PagesThere : Storage::Kind::PinnedThere;
    return std::unique_ptr<Memory>(new Storage(*this, kind, address, host, bytes, {}));
  }
  if (uintptr_t(host) % page || bytes % page)
    return std::unique_ptr<Memory>();
  // Refused for good reasons: registered already, mapped from a file, more than may be locked.
  if (int code = calls.registerHost.function(host, bytes, HostPortable | HostMapped)) {
    KILN_LOG(Info, Memory, info_.name, " does not import ", bytes, " bytes: ", driver_->errorName(code));
    return std::unique_ptr<Memory>();
  }
  Address address = 0;
  Status status = run(calls.hostAddress, &address, host, 0u);
  if (!status.ok()) {
    (void)run(calls.unregisterHost, host);
    return status;
  }
  std::unique_ptr<Memory> storage(new (std::nothrow) Storage(*this, Storage::Kind::Imported, address, host, bytes, {}));
  if (!storage) {
    (void)run(calls.unregisterHost, host);
    throw std::bad_alloc();
  }
  driver_->pinned.add(host, bytes);
  return storage;
}

} // namespace kiln::gpu
