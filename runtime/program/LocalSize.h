// Chooses the local size of a launch without one.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace kiln {

struct LocalSizeRules {
  std::array<size_t, 3> maxPerDimension{1, 1, 1};
  uint64_t maxItems = 1;          // of a work-group
  uint64_t multiple = 1;          // preferred multiple of dimension 0
  unsigned computeUnits = 1;      // the device's
  bool uniform = false;           // local sizes must divide global sizes
  uint32_t roundedDims = 0;       // bit d: local sizes need not divide global sizes in dimension d, even if uniform
  bool dependsOnLocalSize = true; // if false, results do not depend on the local size, and groups may differ in size
  bool prefersTiles = false;      // prefer tiles to rows
};

/// Returns a local size large enough to hide the cost of starting groups, and small enough for several groups per
/// compute unit. Divides the global size if that does not make groups tiny.
std::array<uint64_t, 3> chooseLocalSize(const std::array<uint64_t, 3> &globalSize, const LocalSizeRules &rules);

} // namespace kiln
