// What the functions should give, by the C library in a wider format: double for floats, x87's extended one for
// doubles.
#pragma once
#include "tests/backends/cpu/math/Arrays.h"
#include <cstdint>
#include <functional>
#include <string_view>

namespace kiln::math {

/// Of the arguments at two places; null for a function that the table lacks.
using Reference = std::function<long double(const void *x, const void *y)>;
Reference reference(const ArrayFunction &function);

/// What OpenCL C allows a function's full form (section 7.4), and for the fast ones what half_ and a build with unsafe
/// math have in common; of magnitudes up to `within`.
struct Promise {
  double units, within;
};
Promise promise(const ArrayFunction &function);

/// The distance in units of the last place of what was wanted. Infinite where one is NaN, infinite or a signed zero and
/// the other is not the same.
double unitsApart(long double wanted, double got, bool isDouble);
long double unitOf(long double value, bool isDouble);

} // namespace kiln::math
