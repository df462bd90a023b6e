// Runs an NDRange on the CPU: on the calling thread, and on others if waking them pays.
#pragma once
#include "backends/Device.h"
#include "backends/cpu/driver/DeviceThreads.h"
#include "backends/cpu/driver/Fault.h"
#include "backends/cpu/driver/Sampler.h"
#include "base/abi/KernelAbi.h"
#include <algorithm>
#include <atomic>

namespace kiln::cpu {

/// A kernel's entry point, its name and its measured speed.
class CpuFunction final : public Function {
public:
  explicit CpuFunction(abi::CpuEntry *entry, const KernelInfo &info = {}, const sampler::SampledCode *code = nullptr)
      : entry(entry), kernel(info), sampled(sampler::numberOf(info.name)), sampledCode(code) {}
  bool isMeasured() const override { return true; }
  std::optional<uint64_t> expectedNanoseconds(uint64_t items) const override {
    float known = nanosecondsPerItem.load(std::memory_order_relaxed);
    return known > 0 ? std::optional(uint64_t(std::min(double(known) * double(items), 1e15))) : std::nullopt;
  }
  abi::CpuEntry *const entry;
  const fault::Kernel kernel;
  const uint32_t sampled;                        // the kernel's number for the sampler
  const sampler::SampledCode *const sampledCode; // that the entry is in
  /// Moving average over launches; 0 before the first one.
  std::atomic<float> nanosecondsPerItem{0};
};

/// What the code of a kernel is called with for a launch, the same for all work-groups.
struct CpuCall {
  abi::CpuLaunch info{};
  uint64_t groups = 1, groupItems = 1; // work-groups of the launch, work-items of a group

  /// Fills in everything but the addresses of reports, and prepares the calling thread. CL_OUT_OF_RESOURCES if there is
  /// no memory.
  Status describe(const Launch &launch);
  /// Reserves the memory of the calling thread. Returns false if there is none.
  bool prepare() const;
};

Status runLaunch(const ThreadAllotment &allotment, const Launch &launch);

} // namespace kiln::cpu
