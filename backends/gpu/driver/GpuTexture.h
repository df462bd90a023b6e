// Texture objects of a device's driver.
#pragma once
#include "backends/gpu/driver/GpuDevice.h"

namespace kiln::gpu {

class GpuTexture final : public Texture {
public:
  explicit GpuTexture(GpuDevice &device) : device_(device) {}
  ~GpuTexture() override;

private:
  GpuDevice &device_;
};

} // namespace kiln::gpu
