#include "runtime/program/SubGroups.h"
#include <algorithm>

namespace kiln {

uint64_t SubGroupRules::itemsIn(std::span<const size_t> localSize) const {
  uint64_t items = 1;
  for (size_t d = 0; d < localSize.size(); ++d)
    if (localSize[d] > maxPerDimension[d] || __builtin_mul_overflow(items, localSize[d], &items))
      return 0;
  return items > maxItems ? 0 : items;
}

uint64_t SubGroupRules::largestIn(std::span<const size_t> localSize) const {
  return std::min(size, itemsIn(localSize));
}

uint64_t SubGroupRules::countIn(std::span<const size_t> localSize) const {
  return (itemsIn(localSize) + size - 1) / size;
}

std::array<size_t, 3> SubGroupRules::localSizeFor(uint64_t count) const {
  uint64_t items;
  if (!count || (requiredCount && count != requiredCount) || __builtin_mul_overflow(count, size, &items) ||
      items > maxItems)
    return {};
  std::array<size_t, 3> local = {size_t(items), 1, 1};
  if (requiredLocalSize[0]) {
    uint64_t required = requiredLocalSize[0] * requiredLocalSize[1] * requiredLocalSize[2];
    if (required != items)
      return {};
    std::copy(requiredLocalSize.begin(), requiredLocalSize.end(), local.begin());
  }
  return itemsIn(local) ? local : std::array<size_t, 3>{};
}

} // namespace kiln
