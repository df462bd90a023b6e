// A texture object of a device's driver.
#pragma once
#include "backends/gpu/driver/GpuDevice.h"

namespace kiln::gpu {

class GpuTexture final : public Texture {
public:
  GpuTexture(GpuDevice &device, uint64_t handle) : Texture(handle), device_(device) {}
  ~GpuTexture() override;

private:
  GpuDevice &device_;
};

} // namespace kiln::gpu
