// The checks of one launch on a GPU: the stream copies what they need to the device before the launch, and the findings
// to the host after it (base/abi/CheckAbi.h).
#pragma once
#include "base/abi/CheckAbi.h"
#include "runtime/check/LaunchReports.h"

namespace kiln::check {

class GpuLaunchCheck final : public LaunchObserver, private LaunchReports {
public:
  /// Returns true if the launch's code is for a GPU and has checks.
  static bool isFor(const HostLaunch &launch, const DeviceObject &device) {
    return !device.info().runsInIssue && !launch.kernel->info(device)->checkSites.empty();
  }
  GpuLaunchCheck(const HostLaunch &launch, const DeviceObject &device);
  /// Issued before the launch; sets `address` to the value of Launch::gpuCheck.
  Status begin(Issuer &issuer, uint64_t &address);
  /// Issued after the launch.
  Status end(Issuer &issuer);
  /// Reports the findings.
  void onEnded(const HostLaunch &launch, const DeviceObject &device) noexcept override;

private:
  /// The context's allocations and those that have been freed, ascending and apart from each other.
  std::vector<abi::CheckedObject> objects() const;
  Region onDevice(size_t offset, size_t size) const;
  Region onHost(size_t offset, size_t size) const;
  Finding findingOf(const abi::CheckSite &site, const abi::GpuFinding &first) const;

  const bool reports_; // KILN_CHECK is set: a program binary of a process with the switch has checked code as well
  size_t findingsAt_ = 0, findingsBytes_ = 0;
  std::unique_ptr<Memory> memory_, copy_; // of the device, and the host's copy
};

} // namespace kiln::check
