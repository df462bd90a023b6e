// The memory that a launch on a GPU may access, as its stream copies it. Reached.h is the same for devices whose memory
// the host reads in place.
#pragma once
#include "runtime/capture/Bundle.h"

namespace kiln::capture {

struct DeviceRanges {
  Reached reached;             // ranges begin at device addresses, which the host must not dereference
  std::vector<Region> regions; // of each range, in the device's memory
  /// Of each range: true for an allocation that only a pointer in memory can lead to.
  std::vector<bool> onlyPointed;
  std::unique_ptr<Memory> variables;
};

/// Whole memory objects and allocations among the arguments, and the program's variables. If the kernel follows
/// pointers, also the context's other allocations: which of them it can reach is known when the copies have arrived.
DeviceRanges rangesOn(const DeviceObject &device, const HostLaunch &launch, const BuildState &state, uint32_t traits);

/// Returns true for each range that arguments name, or that an address in the memory of such a range or in the argument
/// block leads to. Structs may be packed, so every multiple of four bytes is read.
std::vector<bool> reachableRanges(const DeviceRanges &ranges, const HostLaunch &launch, const Copies &before);

} // namespace kiln::capture
