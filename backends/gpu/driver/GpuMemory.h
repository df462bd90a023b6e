// Memory of a device, and host memory that a device accesses.
#pragma once
#include "backends/gpu/driver/GpuDevice.h"

namespace kiln::gpu {

class GpuMemory final : public Memory {
public:
  enum class Kind : uint8_t {
    OnDevice, // a block of device memory
    Pinned,   // a block of pinned host memory
    Imported, // registered with the driver
    External, // device memory that this object does not own
    Managed,  // managed memory: the driver moves its pages
    // The same memory, seen by another device of the driver:
    PeerPinned,
    PeerManaged,
  };
  GpuMemory(GpuDevice &device, Kind kind, uint64_t address, void *host, size_t size, DriverMemoryPool::Block block)
      : Memory(address, host, size), device(device), kind(kind), block_(block) {}
  ~GpuMemory() override;

  bool isManaged() const { return kind == Kind::Managed || kind == Kind::PeerManaged; }

  GpuDevice &device;
  const Kind kind;

private:
  const DriverMemoryPool::Block block_;
};

} // namespace kiln::gpu
