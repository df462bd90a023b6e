// A module of the driver and the kernels in it.
#pragma once
#include "backends/gpu/driver/GpuDevice.h"
#include "backends/gpu/driver/LaunchGraph.h"
#include <map>

namespace kiln::gpu {

class GpuFunction final : public Function {
public:
  GpuFunction(FunctionHandle handle, uint64_t maxThreads, uint64_t staticBytes, bool isOneDimensional)
      : handle(handle), maxThreads(maxThreads), staticBytes(staticBytes), isOneDimensional(isOneDimensional) {}
  /// Allows `dynamicBytes` of dynamic local memory. Needed above the default limit.
  Status allow(GpuDevice &device, uint64_t dynamicBytes);

  const FunctionHandle handle;
  const uint64_t maxThreads, staticBytes; // as the driver's compiler reports them
  const bool isOneDimensional;            // KernelAbi.h: the hardware's group has one dimension
  LaunchGraphs graphs;

private:
  std::atomic<uint64_t> allowed_{0};
};

class GpuCode final : public Code {
public:
  GpuCode(GpuDevice &device, ModuleHandle module, std::string path)
      : device_(device), module_(module), path_(std::move(path)) {}
  ~GpuCode() override;
  Result<Function *> function(const KernelInfo &kernel) override;
  std::vector<CodeNumber> numbersOf(const KernelInfo &kernel) override;

private:
  GpuDevice &device_;
  const ModuleHandle module_;
  const std::string path_;
  Mutex mutex_;
  std::map<std::string, std::unique_ptr<GpuFunction>> functions_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln::gpu
