// KILN_CHECK: launches check what their kernels do. README.md says how.
#pragma once
#include "base/support/Checks.h"
#include "runtime/check/GpuLaunchCheck.h"
#include "runtime/check/LaunchCheck.h"

namespace kiln::check {

/// Returns true if launches on the device call the runtime while they run.
inline bool enabled(const DeviceObject &device) { return checks().any() && device.info().runsInIssue; }

/// Issues a launch by `run`, with what its checks need before and after it. Findings are reported when it has ended.
template <typename Run>
Status launchOnGpu(Issuer &issuer, HostLaunch &launch, const DeviceObject &device, const Run &run) {
  auto own = std::make_unique<GpuLaunchCheck>(launch, device);
  GpuLaunchCheck &check = *own;
  launch.check = std::move(own); // lives until the stream's copies have ended, also after an error
  KILN_TRY(check.begin(issuer, launch.grid.gpuCheck));
  KILN_TRY(run());
  return check.end(issuer);
}

/// Issues the launch with this grid on the CPU by `run`, and checks its accesses meanwhile.
template <typename Run>
Status launch(Launch &grid, const CheckTarget &target, const DeviceObject &device, const Run &run) {
  LaunchCheck own(target, device);
  grid.check = &own;
  if (checks().tracks()) // sites have numbers, which differ between codes of a kernel
    grid.upgrade = nullptr, grid.trial = nullptr;
  Status status = run();
  grid.check = nullptr;
  return status;
}

} // namespace kiln::check
