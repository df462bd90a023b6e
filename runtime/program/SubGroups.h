// What clGetKernelSubGroupInfo answers: how a work-group is cut into sub-groups. A sub-group is so many consecutive
// work-items as the plan says, and the last one of a group may be smaller; so all of it follows from the plan.
#pragma once
#include "runtime/compiler/ProgramInfo.h"
#include <array>
#include <span>

namespace kiln {

struct SubGroupRules {
  uint64_t size = 1;                              // of a sub-group: KernelPlan::subGroupSize
  uint64_t maxItems = 1;                          // of a work-group of the kernel
  std::array<size_t, 3> maxPerDimension{1, 1, 1}; // of the device
  std::array<uint64_t, 3> requiredLocalSize{};    // KernelInfo's
  uint64_t requiredCount = 0;                     // KernelInfo::requiredSubGroups

  /// The largest sub-group in groups of this local size; 0 where there are no such groups.
  uint64_t largestIn(std::span<const size_t> localSize) const;
  /// How many there are in one; 0 where there are no such groups.
  uint64_t countIn(std::span<const size_t> localSize) const;
  /// A local size with so many sub-groups, none of them smaller than the others; zeros where there is none.
  std::array<size_t, 3> localSizeFor(uint64_t count) const;
  uint64_t maxPerWorkGroup() const { return (maxItems + size - 1) / size; }

private:
  uint64_t itemsIn(std::span<const size_t> localSize) const;
};

} // namespace kiln
