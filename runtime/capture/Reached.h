// The memory that a launch on a device with host addresses may access.
#pragma once
#include "runtime/program/Kernel.h"
#include <string>
#include <vector>

namespace kiln::capture {

struct Range {
  std::byte *begin = nullptr;
  size_t size = 0;
  bool written = false;
  const std::byte *end() const { return begin + size; }
  bool contains(uint64_t address) const { return address - uint64_t(begin) < size; }
};

/// Sorted by address; ranges do not overlap. Holds the allocations.
struct Reached {
  std::vector<Range> ranges;
  std::vector<Ref<Allocation>> allocations;
  const char *unknown = nullptr; // why the memory is unknown; null if it is known
  /// Bytes of all copies: one of each range, two of those that are written.
  uint64_t copyBytes() const;
};

/// Memory objects and allocations among the arguments with their accesses as the compiler marked them, the program's
/// variables and the argument block. `traits` are KernelTrait bits: a kernel that follows pointers reaches the
/// allocations that clSetKernelExecInfo names as well, and each allocation that a word in reached memory is an address
/// of. Others are left alone, as the host may be writing to them. Of a sub-buffer's parent the other bytes are ranges
/// that are not written, unless the host has a map of the parent or gave its memory: a form must not write beside the
/// sub-buffer.
Reached reachedBy(const HostLaunch &launch, const DeviceObject &device, const BuildState &state, uint32_t traits);

/// Describes the object at an address: "argument 2 (out, int*), byte 64".
std::string nameOf(const HostLaunch &launch, const BuildState &state, const Reached &reached, const std::byte *address);

/// The index of the nearest argument at or before the address in the same range; -1 for none.
int argumentAt(const HostLaunch &launch, const Reached &reached, const std::byte *address);
/// The device address in the argument block: of a buffer, an allocation or an image's pixels; 0 for other arguments.
uint64_t addressOf(const HostLaunch &launch, const ArgInfo &argument);

} // namespace kiln::capture
