// Sub-groups of a work-group, for clGetKernelSubGroupInfo. A sub-group is KernelPlan::subGroupSize consecutive
// work-items; the last one of a group may be smaller.
#pragma once
#include "base/abi/ProgramInfo.h"
#include <array>
#include <span>

namespace kiln {

struct SubGroupRules {
  uint64_t size = 1;                              // of a sub-group: KernelPlan::subGroupSize
  uint64_t maxItems = 1;                          // of a work-group of the kernel
  std::array<size_t, 3> maxPerDimension{1, 1, 1}; // of the device
  std::array<uint64_t, 3> requiredLocalSize{};    // KernelInfo's
  uint64_t requiredCount = 0;                     // KernelInfo::requiredSubGroups

  /// The size of the largest sub-group in groups of this local size; 0 if the local size is invalid.
  uint64_t largestIn(std::span<const size_t> localSize) const;
  /// The number of sub-groups in a group; 0 if the local size is invalid.
  uint64_t countIn(std::span<const size_t> localSize) const;
  /// A local size with `count` full sub-groups; zeros if there is none.
  std::array<size_t, 3> localSizeFor(uint64_t count) const;
  uint64_t maxPerWorkGroup() const { return (maxItems + size - 1) / size; }

private:
  uint64_t itemsIn(std::span<const size_t> localSize) const;
};

} // namespace kiln
