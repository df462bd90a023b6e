// KILN_CROSSCHECK: runs launches in the scalar form as well, on the same memory, and compares every byte.
// README.md says what is compared and what is not.
#pragma once
#include "base/support/Options.h"
#include "runtime/program/Kernel.h"

namespace kiln::crosscheck {

enum class Skip : uint8_t;

inline bool enabled(const DeviceObject &device) { return options().crossCheck && device.info().runsInIssue; }

/// Replaces `issuer.launch(launch.grid)`. The caller holds the turn (runtime/capture/Turn.h). Memory and the printf
/// buffer are left as the normal form leaves them. Returns the errors of that launch.
Status launch(Issuer &issuer, HostLaunch &launch, const DeviceObject &device);

/// Counts a launch that a kernel enqueued and runs it only in its normal form: its captured pointers are in a struct of
/// unknown layout. Takes the turn.
Status launchEnqueued(Issuer &issuer, const Launch &launch, const char *kernel);

} // namespace kiln::crosscheck
