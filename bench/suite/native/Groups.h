// Loops whose kernels need a barrier every few instructions.
#pragma once
#include "bench/suite/native/Range.h"
#include <stdint.h>

namespace bench::native {

/// The sum of each group of `size` elements; the range counts groups.
void reduce(const float *in, float *sums, size_t size, Range groups);
/// The inclusive prefix sum within each group.
void scan(const uint32_t *in, uint32_t *out, size_t size, Range groups);
/// The exclusive prefix sum within each group.
void scanExclusive(const uint32_t *in, uint32_t *out, size_t size, Range groups);
/// The sum of the products of each group of `size` elements; the last group ends at `count`.
void dotProducts(const float *x, const float *y, float *sums, size_t size, size_t count, Range groups);
/// Adds the number of occurrences of each byte value in the words to 256 bins. Thread-safe.
void histogram(const uint32_t *words, uint32_t *bins, Range range);
/// The same for bytes.
void byteHistogram(const uint8_t *bytes, uint32_t *bins, Range range);
/// One step of a bitonic sort: orders pairs that are `distance` apart, ascending or descending in alternating runs of
/// `run` keys. The range counts pairs.
void bitonicStep(uint32_t *keys, uint32_t distance, uint32_t run, Range pairs);
/// Copies each group of `size` keys, a power of two, and sorts it by a bitonic network.
void sortGroups(const uint32_t *in, uint32_t *out, size_t size, Range groups);
/// Edit distances of pairs of strings of `length` letters; at most 1024.
void editDistances(const uint8_t *a, const uint8_t *b, int32_t *distances, size_t length, Range pairs);

} // namespace bench::native
