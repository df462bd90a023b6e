// Memory of a device, and host memory that it reaches.
#pragma once
#include "backends/gpu/driver/GpuDevice.h"

namespace kiln::gpu {

class Storage final : public Memory {
public:
  enum class Kind : uint8_t {
    OnDevice, // a block of device memory
    Pinned,   // a block of pinned host memory
    Imported, // registered with the driver
    Named,    // somewhere in device memory, somebody else's
    Pages,    // which the driver moves between host and devices
    // The same, of another device of the driver:
    PinnedThere,
    PagesThere,
  };
  Storage(GpuDevice &device, Kind kind, uint64_t address, void *host, size_t size, Blocks::Block block)
      : Memory(address, host, size), device(device), kind(kind), block_(block) {}
  ~Storage() override;

  bool isPages() const { return kind == Kind::Pages || kind == Kind::PagesThere; }

  GpuDevice &device;
  const Kind kind;

private:
  const Blocks::Block block_;
};

} // namespace kiln::gpu
