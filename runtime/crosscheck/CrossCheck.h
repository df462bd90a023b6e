// KILN_CROSSCHECK: runs launches in the scalar form as well, on the same memory, and compares every byte.
// README.md says what is compared and what is not.
#pragma once
#include "runtime/program/Kernel.h"
#include "runtime/support/Options.h"

namespace kiln::crosscheck {

enum class Skip : uint8_t;

inline bool enabled(const DeviceObject &device) { return options().crossCheck && device.info().runsInIssue; }

/// Held by the one command at a time that devices with host addresses run under the cross-check. No other lock is taken
/// under it but those of compilers, logs and findings.
class Turn {
public:
  Turn();
  ~Turn();
  Turn(const Turn &) = delete;
};

/// In place of `stream.launch(launch.launch)`. The caller has the turn. What is left in memory and in the printf buffer
/// is the usual form's. Fails as that does.
Status launch(Stream &stream, KernelLaunch &launch, const DeviceObject &device);

/// Counts a launch that a kernel enqueued, which is run as usual: its captured pointers are in a struct that the
/// runtime does not know. Takes the turn.
Status launchEnqueued(Stream &stream, const Launch &launch, const char *kernel);

} // namespace kiln::crosscheck
