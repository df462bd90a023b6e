// What kernels do with a barrier after every few instructions, and a thread with a loop.
#pragma once
#include "bench/native/Range.h"
#include <stdint.h>

namespace bench::native {

/// The sum of each group of `size` elements; the range is one of groups.
void reduce(const float *in, float *sums, size_t size, Range groups);
/// The running sum inside each group.
void scan(const uint32_t *in, uint32_t *out, size_t size, Range groups);
/// Adds to 256 bins how often each byte occurs in the words; safe on many threads.
void histogram(const uint32_t *words, uint32_t *bins, Range range);
/// One step of a bitonic sort of all keys: pairs that are `distance` apart are put in order, upwards or downwards by
/// turns of `run` keys. The range is one of pairs.
void bitonicStep(uint32_t *keys, uint32_t distance, uint32_t run, Range pairs);

} // namespace bench::native
