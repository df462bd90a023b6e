// A module of the driver, and kernels in it.
#pragma once
#include "backends/gpu/driver/GpuDevice.h"
#include <map>

namespace kiln::gpu {

class GpuFunction final : public Function {
public:
  GpuFunction(FunctionHandle handle, uint64_t maxThreads, uint64_t staticBytes, bool isOneDimensional)
      : handle(handle), maxThreads(maxThreads), staticBytes(staticBytes), isOneDimensional(isOneDimensional) {}
  /// Makes so much dynamic local memory possible; needed above what every kernel may have.
  Status allow(GpuDevice &device, uint64_t dynamicBytes);

  const FunctionHandle handle;
  const uint64_t maxThreads, staticBytes; // as the driver's compiler made it
  const bool isOneDimensional;            // KernelAbi.h: groups have one dimension for the hardware

private:
  std::atomic<uint64_t> allowed_{0};
};

class GpuCode final : public Code {
public:
  GpuCode(GpuDevice &device, ModuleHandle module, std::string path)
      : device_(device), module_(module), path_(std::move(path)) {}
  ~GpuCode() override;
  Result<Function *> function(const KernelInfo &kernel) override;

private:
  GpuDevice &device_;
  const ModuleHandle module_;
  const std::string path_;
  Mutex mutex_;
  std::map<std::string, std::unique_ptr<GpuFunction>> functions_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln::gpu
