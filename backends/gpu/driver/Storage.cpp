#include "backends/gpu/driver/Storage.h"
#include "runtime/support/Log.h"
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
  case Kind::Imported:
    driver.pinned.remove(host);
    if (!device.usable())
      return;
    Current current(device);
    (void)device.run(driver.calls.unregisterHost, host);
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

Result<std::unique_ptr<Memory>> GpuDevice::import(void *host, size_t bytes) {
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  if (!usable() || uintptr_t(host) % page || bytes % page)
    return std::unique_ptr<Memory>();
  KILN_TRY(open());
  Current current(*this);
  const Calls &calls = driver_->calls;
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
