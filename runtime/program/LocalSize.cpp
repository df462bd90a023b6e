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
  for (int d = 0; d < 3; ++d) {
    uint64_t limit = std::max<uint64_t>(1, std::min<uint64_t>(wanted, rules.maxPerDimension[size_t(d)]));
    if (rules.prefersTiles && d == 0 && globalSize[1] > 1)
      limit = std::min(limit, rules.dependsOnLocalSize ? multiple : std::max(TileItems, multiple));
    const uint64_t size = std::max<uint64_t>(1, globalSize[size_t(d)]), multipleOf = d ? 1 : multiple;
    const bool uniform = rules.uniform && !(rules.roundedDims >> d & 1);
    local[size_t(d)] =
        rules.dependsOnLocalSize ? choose(size, limit, multipleOf, uniform) : chooseFree(size, limit, multipleOf);
    wanted /= local[size_t(d)];
  }
  return local;
}

} // namespace kiln
