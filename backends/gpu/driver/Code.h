// A program's module of the driver, and the functions in it.
//
// NVIDIA's assembler chooses the registers of a function without regard to the group's size, unless the code has a
// bound (GpuTargetInfo.cpp). A function with more than 64 registers has no room for a group of 1024 work-items. The
// first launch of such a group assembles the code a second time, for the largest groups. This second module has other
// functions, with their own launch graphs.
#pragma once
#include "backends/gpu/driver/GpuDevice.h"
#include "backends/gpu/driver/LaunchGraph.h"
#include <map>

namespace kiln::gpu {

class GpuCode;

class GpuFunction final : public Function {
public:
  GpuFunction(GpuCode &code, std::string entry, FunctionHandle handle, uint64_t maxThreads, uint64_t staticBytes,
              bool isOneDimensional)
      : entry(std::move(entry)), handle(handle), maxThreads(maxThreads), staticBytes(staticBytes),
        isOneDimensional(isOneDimensional), code_(code) {}
  /// Returns the function for launches with groups of this many work-items: this one if its registers have room for
  /// them, else that of the module for the largest groups. Fails with the driver's error if it cannot be assembled or
  /// loaded; the next call tries again.
  Result<GpuFunction *> forGroupsOf(uint64_t items) {
    if (items <= maxThreads)
      return this;
    return forLargerGroupsOf(items);
  }
  /// Allows `dynamicBytes` of dynamic local memory. Needed above the default limit.
  Status allow(GpuDevice &device, uint64_t dynamicBytes);

  const std::string entry; // its name in the code
  const FunctionHandle handle;
  const uint64_t maxThreads, staticBytes; // as the driver's compiler reports them
  const bool isOneDimensional;            // KernelAbi.h: the hardware's group has one dimension
  LaunchGraphs graphs;

private:
  Result<GpuFunction *> forLargerGroupsOf(uint64_t items) noexcept;

  GpuCode &code_;
  std::atomic<GpuFunction *> forLargestGroups_{nullptr}; // null until it is loaded
  std::atomic<uint64_t> allowed_{0};
};

class GpuCode final : public Code {
public:
  GpuCode(GpuDevice &device, ModuleHandle module, const CodePaths &paths) : device_(device), paths_(paths) {
    module_.handle = module;
  }
  ~GpuCode() override;
  Result<Function *> function(const KernelInfo &kernel) override;
  std::vector<CodeNumber> numbersOf(const KernelInfo &kernel) override;
  /// Returns the same function in the module for the largest groups, which the first call assembles and loads. Null if
  /// the compiler's code is machine code, or if the kernel needs no larger groups than `function` has room for.
  Result<GpuFunction *> forLargestGroups(const GpuFunction &function);

private:
  struct Module {
    ModuleHandle handle = nullptr; // null if it is not loaded
    std::map<std::string, std::unique_ptr<GpuFunction>> functions{};
  };
  Result<GpuFunction *> find(Module &module, const std::string &entry, bool isOneDimensional) KILN_REQUIRES(mutex_);
  Status loadForLargestGroups() KILN_REQUIRES(mutex_);

  GpuDevice &device_;
  const CodePaths paths_;
  Mutex mutex_;
  Module module_ KILN_GUARDED_BY(mutex_), moduleForLargestGroups_ KILN_GUARDED_BY(mutex_);
  // The compiler's code, from when a function is found that has no room for a large group, until the second module
  // is loaded: by then, the file may have left the cache.
  std::string source_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln::gpu
