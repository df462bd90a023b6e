// The local size of a launch that leaves it to the runtime.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace kiln {

struct LocalSizeRules {
  std::array<size_t, 3> maxPerDimension{1, 1, 1};
  uint64_t maxItems = 1;          // of a work-group
  uint64_t multiple = 1;          // that dimension 0 runs well at
  unsigned computeUnits = 1;      // that all want work-groups
  bool uniform = false;           // local sizes must divide the global ones
  bool dependsOnLocalSize = true; // how work-items are grouped, by the kernel: if not, groups need not be alike
  bool prefersTiles = false;      // then rather than rows
};

/// Work-groups large enough that handing them out does not show, and small enough that every compute unit gets
/// several. Divides the global size where it can without making tiny groups.
std::array<uint64_t, 3> chooseLocalSize(const std::array<uint64_t, 3> &globalSize, const LocalSizeRules &rules);

} // namespace kiln
