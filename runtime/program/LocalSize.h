// The local size of a launch: the rules for one that the application passes, and the choice without one.
#pragma once
#include "backends/Device.h"

namespace kiln {

struct LocalSizeRules {
  std::array<size_t, 3> maxPerDimension{1, 1, 1};
  uint64_t maxItems = 1;          // of a work-group
  uint64_t multiple = 1;          // preferred multiple of the dimension of rows
  unsigned rowDimension = 0;      // the dimension in which groups should be long
  unsigned computeUnits = 1;      // the device's
  bool uniform = false;           // local sizes must divide global sizes
  uint32_t roundedDims = 0;       // bit d: local sizes need not divide global sizes in dimension d, even if uniform
  bool dependsOnLocalSize = true; // if false, results do not depend on the local size, and groups may differ in size
  bool prefersTiles = false;      // prefer tiles to rows
};

/// Returns a local size large enough to hide the cost of starting groups, and small enough for several groups per
/// compute unit. Divides the global size if that does not make groups tiny.
std::array<uint64_t, 3> chooseLocalSize(const std::array<uint64_t, 3> &globalSize, const LocalSizeRules &rules);

/// The sizes of clEnqueueNDRangeKernel, as given.
struct LaunchSizes {
  cl_uint workDim = 0;
  const size_t *globalOffset = nullptr, *globalSize = nullptr, *localSize = nullptr;
  bool isSuggestion = false; // the application may pass the chosen local size to a launch: it must divide if uniform
};

/// The last local sizes that were chosen for a kernel on a device. Choosing one takes longer than a short launch.
struct ChosenLocalSizes {
  std::array<uint64_t, 3> chosenFor{}, chosen{1, 1, 1};
  std::array<uint64_t, 3> freeFor{}, free{1, 1, 1};
};

/// Returns the local size that the kernel observes: the application's, if the kernel and the device allow it
/// (CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE), or a chosen one if `sizes` has none. `launch` has the other
/// sizes; `uniform`: the program requires uniform work-groups.
Result<std::array<uint64_t, 3>> localSizeFor(const DeviceInfo &limits, const KernelInfo &info, bool uniform,
                                             const Launch &launch, const LaunchSizes &sizes, ChosenLocalSizes &last);
/// Returns the local size to run a kernel with whose results do not depend on it.
std::array<uint64_t, 3> freeLocalSizeFor(const DeviceInfo &limits, const KernelInfo &info, const Launch &launch,
                                         ChosenLocalSizes &last);

} // namespace kiln
