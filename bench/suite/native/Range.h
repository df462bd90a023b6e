// The part of a native loop that one call runs.
#pragma once
#include <stddef.h>

namespace bench::native {

/// [first, end)
struct Range {
  size_t first, end;
};
using Rows = Range;

} // namespace bench::native
