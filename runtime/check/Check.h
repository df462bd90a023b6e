// KILN_CHECK: launches on the CPU check the kernels' accesses. README.md says how.
#pragma once
#include "base/support/Checks.h"
#include "runtime/check/LaunchCheck.h"

namespace kiln::check {

inline bool enabled(const DeviceObject &device) { return checks().any() && device.info().runsInIssue; }

/// Issues a launch by `run`, and checks its accesses meanwhile.
template <typename Run> Status launch(HostLaunch &launch, const DeviceObject &device, const Run &run) {
  LaunchCheck own(launch, device);
  launch.grid.check = &own;
  if (checks().tracks()) // sites have numbers, which differ between codes of a kernel
    launch.grid.upgrade = nullptr, launch.grid.trial = nullptr;
  Status status = run();
  launch.grid.check = nullptr;
  return status;
}

} // namespace kiln::check
