#include "runtime/program/LocalSize.h"
#include <algorithm>

namespace kiln {
namespace {

// Upper bounds of work-items per group. Beyond 256 the cost of starting groups is negligible, and per-work-item memory
// leaves the cache. If the local size is free and there is no such memory, longer rows are better.
constexpr uint64_t EnoughItems = 256, EnoughFreeItems = 4096;
constexpr uint64_t GroupsPerUnit = 4, FreeGroupsPerUnit = 16;
// The row of a tile if the local size is free: two of the longest vectors. Otherwise it is the preferred multiple.
constexpr uint64_t TileItems = 64;

/// The largest divisor of `size` up to `limit`.
uint64_t divisor(uint64_t size, uint64_t limit) {
  for (uint64_t d = std::min(size, limit); d > 1; --d)
    if (size % d == 0)
      return d;
  return 1;
}

// A multiple of the vector width; also a divisor of the size if that is at least half of the limit.
uint64_t chooseFree(uint64_t size, uint64_t limit, uint64_t multiple) {
  if (size <= limit)
    return size;
  if (limit < multiple)
    return limit;
  uint64_t alike = size % multiple ? 0 : divisor(size / multiple, limit / multiple) * multiple;
  return alike * 2 >= limit ? alike : limit / multiple * multiple;
}

uint64_t choose(uint64_t size, uint64_t limit, uint64_t multiple, bool uniform) {
  if (size <= limit)
    return size;
  uint64_t best = divisor(size, limit);
  // Prefer a divisor that is a multiple of the vector width, unless it is less than half of the largest divisor.
  if (multiple > 1 && size % multiple == 0 && limit >= multiple) {
    uint64_t vectors = divisor(size / multiple, limit / multiple) * multiple;
    if (vectors * 2 >= best)
      return vectors;
  }
  if (uniform || best * 2 >= limit)
    return best;
  return limit >= multiple ? limit / multiple * multiple : limit;
}

uint64_t maxItemsOf(const DeviceInfo &limits, const KernelInfo &info) {
  return info.plan.maxWorkGroupSize ? std::min<uint64_t>(limits.maxWorkGroupSize, info.plan.maxWorkGroupSize)
                                    : limits.maxWorkGroupSize;
}

bool requiresSize(const KernelInfo &info) { return info.requiredLocalSize[0] != 0; }

uint64_t requiredSize(const KernelInfo &info, size_t dimension) {
  return std::max<uint64_t>(info.requiredLocalSize[dimension], 1);
}

/// Returns the size of a row of work-items that has the number of sub-groups that the kernel requires: the largest one
/// that divides `globalSize`, or, if none does, one whose sub-groups are all whole.
uint64_t rowOfSubGroups(const KernelInfo &info, uint64_t globalSize) {
  const uint64_t largest = info.requiredSubGroups * info.plan.subGroupSize;
  for (uint64_t size = largest; size > largest - info.plan.subGroupSize; --size)
    if (globalSize % size == 0)
      return size;
  return largest;
}

std::array<uint64_t, 3> chosenLocalSize(const DeviceInfo &limits, const KernelInfo &info, bool uniform,
                                        const Launch &launch, bool isSuggestion, ChosenLocalSizes &last) {
  LocalSizeRules rules{.maxPerDimension = limits.maxWorkItemSizes,
                       .maxItems = maxItemsOf(limits, info),
                       .multiple = info.plan.preferredMultiple,
                       .rowDimension = info.plan.rowDimension,
                       .computeUnits = limits.computeUnits,
                       .uniform = uniform,
                       .prefersTiles = info.plan.prefersTiles && info.plan.dependsOnLocalSize};
  if (isSuggestion)
    return chooseLocalSize(launch.globalSize, rules);
  if (last.chosenFor != launch.globalSize) {
    rules.roundedDims = info.plan.roundedDims;
    last.chosen = chooseLocalSize(launch.globalSize, rules);
    last.chosenFor = launch.globalSize;
  }
  return last.chosen;
}

Status checkLocalSize(const DeviceInfo &limits, const KernelInfo &info, bool uniform, const Launch &launch,
                      const std::array<uint64_t, 3> &local) {
  const uint64_t maxItems = maxItemsOf(limits, info);
  uint64_t items = 1;
  for (size_t d = 0; d < 3; ++d) {
    if (local[d] == 0)
      return fail(CL_INVALID_WORK_GROUP_SIZE, "local size of dimension ", d, " is 0");
    if (requiresSize(info) && local[d] != requiredSize(info, d))
      return fail(CL_INVALID_WORK_GROUP_SIZE, "local size ", local[d], " of dimension ", d, " is not the ",
                  info.requiredLocalSize[d], " that kernel ", info.name, " requires");
    if (local[d] > limits.maxWorkItemSizes[d])
      return fail(CL_INVALID_WORK_ITEM_SIZE, "local size ", local[d], " of dimension ", d, " must be at most ",
                  limits.maxWorkItemSizes[d]);
    if (launch.globalSize[d] % local[d] && (uniform || !limits.nonUniformWorkGroups))
      return fail(CL_INVALID_WORK_GROUP_SIZE, "local size ", local[d], " does not divide global size ",
                  launch.globalSize[d], " in dimension ", d, ", and the program requires uniform work-groups");
    if (__builtin_mul_overflow(items, local[d], &items) || items > maxItems)
      return fail(CL_INVALID_WORK_GROUP_SIZE, "a work-group has more than ", maxItems, " work-items");
  }
  if (info.requiredSubGroups) {
    const uint64_t subGroups = (items + info.plan.subGroupSize - 1) / info.plan.subGroupSize;
    if (subGroups != info.requiredSubGroups)
      return fail(CL_INVALID_WORK_GROUP_SIZE, "a work-group of ", items, " work-items has ", subGroups,
                  " sub-groups, kernel ", info.name, " requires ", info.requiredSubGroups);
  }
  return {};
}

} // namespace

std::array<uint64_t, 3> chooseLocalSize(const std::array<uint64_t, 3> &globalSize, const LocalSizeRules &rules) {
  uint64_t total = 1;
  for (uint64_t size : globalSize)
    if (__builtin_mul_overflow(total, size, &total))
      total = UINT64_MAX;
  uint64_t multiple = std::max<uint64_t>(1, rules.multiple);
  uint64_t share =
      total / (uint64_t(rules.computeUnits) * (rules.dependsOnLocalSize ? GroupsPerUnit : FreeGroupsPerUnit));
  uint64_t wanted =
      std::clamp(share, multiple, std::max(multiple, rules.dependsOnLocalSize ? EnoughItems : EnoughFreeItems));
  wanted = std::max<uint64_t>(1, std::min(wanted, rules.maxItems));
  std::array<uint64_t, 3> local;
  const size_t row = rules.rowDimension, next = row == 0 ? 1 : 0, last = 3 - row - next;
  for (size_t d : {row, next, last}) {
    uint64_t limit = std::max<uint64_t>(1, std::min<uint64_t>(wanted, rules.maxPerDimension[d]));
    if (rules.prefersTiles && d == row && globalSize[next] > 1)
      limit = std::min(limit, rules.dependsOnLocalSize ? multiple : std::max(TileItems, multiple));
    const uint64_t size = std::max<uint64_t>(1, globalSize[d]), multipleOf = d == row ? multiple : 1;
    const bool uniform = rules.uniform && !(rules.roundedDims >> d & 1);
    local[d] =
        rules.dependsOnLocalSize ? choose(size, limit, multipleOf, uniform) : chooseFree(size, limit, multipleOf);
    wanted /= local[d];
  }
  return local;
}

Result<std::array<uint64_t, 3>> localSizeFor(const DeviceInfo &limits, const KernelInfo &info, bool uniform,
                                             const Launch &launch, const LaunchSizes &sizes, ChosenLocalSizes &last) {
  std::array<uint64_t, 3> local{1, 1, 1};
  if (sizes.localSize)
    std::copy_n(sizes.localSize, launch.workDim, local.begin());
  else if (requiresSize(info))
    for (size_t d = 0; d < 3; ++d)
      local[d] = requiredSize(info, d);
  else if (info.requiredSubGroups)
    local[0] = rowOfSubGroups(info, launch.globalSize[0]);
  else
    return chosenLocalSize(limits, info, uniform, launch, sizes.isSuggestion, last);
  KILN_TRY(checkLocalSize(limits, info, uniform, launch, local));
  return local;
}

std::array<uint64_t, 3> freeLocalSizeFor(const DeviceInfo &limits, const KernelInfo &info, const Launch &launch,
                                         ChosenLocalSizes &last) {
  if (last.freeFor != launch.globalSize) {
    last.free = chooseLocalSize(launch.globalSize, {.maxPerDimension = limits.maxWorkItemSizes,
                                                    .maxItems = limits.maxWorkGroupSize,
                                                    .multiple = info.plan.preferredMultiple,
                                                    .rowDimension = info.plan.rowDimension,
                                                    .computeUnits = limits.computeUnits,
                                                    .dependsOnLocalSize = false,
                                                    .prefersTiles = info.plan.prefersTiles});
    last.freeFor = launch.globalSize;
  }
  return last.free;
}

} // namespace kiln
