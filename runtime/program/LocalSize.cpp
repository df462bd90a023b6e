#include "runtime/program/LocalSize.h"
#include <algorithm>

namespace kiln {
namespace {

constexpr uint64_t GroupsPerUnit = 4;
// What a work-group is worth growing to: past this, handing out groups costs nothing against running them, and what
// lives per work-item leaves the cache.
constexpr uint64_t EnoughItems = 256;

/// The largest divisor of `size` up to `limit`.
uint64_t divisor(uint64_t size, uint64_t limit) {
  for (uint64_t d = std::min(size, limit); d > 1; --d)
    if (size % d == 0)
      return d;
  return 1;
}

uint64_t choose(uint64_t size, uint64_t limit, uint64_t multiple, bool uniform) {
  if (size <= limit)
    return size;
  uint64_t best = divisor(size, limit);
  // A multiple of the vector width that divides, too, is better unless it is much smaller.
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
  uint64_t share = total / (uint64_t(rules.computeUnits) * GroupsPerUnit);
  uint64_t wanted = std::clamp(share, multiple, std::max(multiple, EnoughItems));
  wanted = std::max<uint64_t>(1, std::min(wanted, rules.maxItems));
  std::array<uint64_t, 3> local;
  for (int d = 0; d < 3; ++d) {
    uint64_t limit = std::max<uint64_t>(1, std::min<uint64_t>(wanted, rules.maxPerDimension[size_t(d)]));
    local[size_t(d)] = choose(std::max<uint64_t>(1, globalSize[size_t(d)]), limit, d ? 1 : multiple, rules.uniform);
    wanted /= local[size_t(d)];
  }
  return local;
}

} // namespace kiln
