// What a native loop does at a time.
#pragma once
#include <stddef.h>

namespace bench::native {

/// From `first` up to but not including `end`.
struct Range {
  size_t first, end;
};
using Rows = Range;

} // namespace bench::native
