// Fourier transforms.
#pragma once
#include "bench/suite/native/Range.h"

namespace bench::native {

/// Transforms of n points each, radix 2 as in the kernel; n is a power of two from 16 to 4096. All arrays contain pairs
/// of a real and an imaginary part. Twiddle k is exp(-2 pi i k / n), for k below n / 2.
void fft(const float *in, float *out, const float *twiddles, size_t n, Range transforms);

} // namespace bench::native
