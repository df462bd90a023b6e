// KILN_CAPTURE: writes a bundle of chosen launches. README.md describes bundles.
#pragma once
#include "base/support/Options.h"
#include "runtime/program/Kernel.h"
#include <functional>

namespace kiln::capture {

/// A launch to capture: the n-th of the kernels of this name in the process, from 1.
struct Wanted {
  std::string kernel;
  uint64_t number = 1;
};

/// Parses "kernel", "kernel#3" and lists of them separated by commas. Returns nothing if a number is not one or is 0,
/// or a name is empty.
std::optional<std::vector<Wanted>> parseWanted(const std::string &text);

inline bool enabled() { return !options().capture.empty(); }

/// Calls `run`, which launches, and writes a bundle if the launch is one that KILN_CAPTURE names: on a device that runs
/// in issue, where the caller holds the turn, before this returns. On others, the stream copies memory before and after
/// the launch, and its end writes the bundle. A launch that cannot be captured is an error of the log. Returns the
/// result of `run`, or of a copy.
Status launch(Issuer &issuer, HostLaunch &launch, const DeviceObject &device, const std::function<Status()> &run);

} // namespace kiln::capture
