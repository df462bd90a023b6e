// Loops with few operations per element.
#pragma once
#include "bench/suite/native/Range.h"
#include <stdint.h>

namespace bench::native {

/// a = b + scale * c
void triad(float *a, const float *b, const float *c, float scale, Range range);
/// y += a * x
void saxpy(float a, const float *x, float *y, Range range);
/// (alpha * a + (255 - alpha) * b) / 255, rounded by adding 128 and shifting.
void blendBytes(const uint8_t *a, const uint8_t *b, uint8_t *to, uint8_t alpha, Range range);
/// Converts ASCII text to lower case.
void toLowerCase(const uint8_t *from, uint8_t *to, Range range);
/// The number of occurrences of the pattern that begin in the range.
uint32_t countPattern(const uint8_t *text, const uint8_t *pattern, size_t length, Range range);
/// Replaces the three colours of each pixel by those of their tables.
void toneCurves(const uint8_t *in, uint8_t *out, const uint8_t *tables, Range pixels);

} // namespace bench::native
