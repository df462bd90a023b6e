// The memory that a launch on a GPU may access, as its stream copies it. Reached.h is the same for devices whose memory
// the host reads in place.
#pragma once
#include "runtime/capture/Reached.h"

namespace kiln::capture {

struct DeviceRanges {
  Reached reached;             // ranges begin at device addresses, which the host must not dereference
  std::vector<Region> regions; // of each range, in the device's memory
  std::unique_ptr<Memory> variables;
};

/// Whole memory objects and allocations among the arguments, and the program's variables. `unknown` is set if the
/// kernel follows pointers: what they lead to could only be found by reading the device's memory.
DeviceRanges rangesOn(const DeviceObject &device, const KernelLaunch &launch, const BuildState &state, uint32_t traits);

} // namespace kiln::capture
