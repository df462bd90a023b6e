// One thread a core for the native loops, kept from one loop to the next.
#pragma once
#include "bench/native/Images.h"
#include <functional>

namespace bench::native {

/// Calls body(rows) on all threads for bands of the rows of a square of `side`, until all are done. In the calling
/// thread alone if there is too little to share.
void forRows(size_t side, const std::function<void(Rows)> &body);

} // namespace bench::native
