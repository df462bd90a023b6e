// One thread a core for the native loops, kept from one loop to the next.
#pragma once
#include "bench/native/Range.h"
#include <functional>

namespace bench::native {

/// Calls body(range) on all threads for bands of [0, count), until all are done. A band is what is worth a thread's
/// while: if there is no more than one, the calling thread does it alone.
void forRange(size_t count, size_t band, const std::function<void(Range)> &body);

/// The same for bands of the rows of a square of `side`.
void forRows(size_t side, const std::function<void(Rows)> &body);

} // namespace bench::native
