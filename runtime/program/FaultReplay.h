// After a fault in a kernel: adds the place of the fault to the error of its launch, by running the work-groups that
// faulted again (Issuer::replay) in the located form of the kernel (LocatedKernel.h).
//
//   kernel blur: SIGSEGV at address 0x7f31c0a01000, 4096 bytes after the end of the buffer of argument 1 (out), ...;
//   replayed: <source>:7 (out[i] = sum;), called at <source>:12, work-item with global id (96, 3), local id (0, 3),
//   group id (3, 0)
//
// A launch without a fault costs nothing more. After one, the command waits for the compilers, once for each kernel,
// and for the replay. All replays of a program together take at most MaxReplayNanoseconds.
//
// Not handled: kernels that kernels enqueue, initializers and finalizers, and launches that the cross-check runs twice.
#pragma once
#include "base/support/Options.h"
#include "runtime/program/HostLaunch.h"

namespace kiln::faults {

/// Returns true if faults of kernels on the device are replayed.
bool enabled(const DeviceObject &device);

/// Adds the place to the error of a launch that a fault has ended. Returns `failure` if it is not found.
Status withPlace(Status failure, Issuer &issuer, const HostLaunch &launch, const DeviceObject &device,
                 const LaunchFault &fault) noexcept;

/// Issues a launch.
inline Status launch(Issuer &issuer, HostLaunch &launch, const DeviceObject &device) {
  LaunchFault fault;
  launch.grid.fault = &fault;
  Status status = issuer.launch(launch.grid);
  launch.grid.fault = nullptr;
  if (fault.happened && enabled(device)) [[unlikely]]
    return withPlace(std::move(status), issuer, launch, device, fault);
  return status;
}

} // namespace kiln::faults
