#include "runtime/program/WorkItem.h"
#include "backends/Device.h"
#include "base/support/Status.h"

namespace kiln {

std::string describeIds(const std::array<uint64_t, 3> &ids, uint32_t workDim) {
  std::string list;
  for (uint32_t d = 0; d < workDim; ++d)
    list += text(d ? ", " : "", ids[d]);
  return "(" + list + ")";
}

std::string describeItem(const Launch &grid, const std::array<uint64_t, 3> &localSize,
                         const std::array<uint64_t, 3> &globalId) {
  std::array<uint64_t, 3> local{}, group{};
  for (uint32_t d = 0; d < grid.workDim; ++d) {
    const uint64_t index = globalId[d] - grid.globalOffset[d];
    local[d] = index % localSize[d], group[d] = index / localSize[d];
  }
  return text("work-item with global id ", describeIds(globalId, grid.workDim), ", local id ",
              describeIds(local, grid.workDim), ", group id ", describeIds(group, grid.workDim));
}

} // namespace kiln
