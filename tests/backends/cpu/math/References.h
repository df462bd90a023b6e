// Reference results of the C library in a wider format: double for floats, x87's extended format for doubles.
#pragma once
#include "tests/backends/cpu/math/Arrays.h"
#include <cstdint>
#include <functional>
#include <string_view>

namespace kiln::math {

/// The reference for the arguments at two addresses; null for a function without one.
using Reference = std::function<long double(const void *x, const void *y)>;
Reference reference(const ArrayFunction &function);

/// OpenCL C's error bound of a function's full version (section 7.4); for fast versions the smaller bound of half_ and
/// unsafe math. Applies to magnitudes up to `within`.
struct ErrorBound {
  double units, within;
};
ErrorBound errorBound(const ArrayFunction &function);

/// The error in ulp of the reference. Infinite if one is NaN, infinite or a signed zero and the other differs.
double unitsApart(long double wanted, double got, bool isDouble);
long double unitOf(long double value, bool isDouble);

} // namespace kiln::math
