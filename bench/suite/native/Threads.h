// One thread per logical processor for the native loops. The threads stay alive between loops.
#pragma once
#include "bench/suite/native/Range.h"
#include <functional>

namespace bench::native {

/// Splits [0, count) into bands of `band`, calls body(range) for each on all threads, and waits for them. If there is
/// only one band, the calling thread runs it alone: a band should be long enough to pay for waking a thread.
void forRange(size_t count, size_t band, const std::function<void(Range)> &body);

/// Calls forRange for the rows of a square of `side` texels; a band has 16384 texels or one row.
void forRows(size_t side, const std::function<void(Rows)> &body);

} // namespace bench::native
