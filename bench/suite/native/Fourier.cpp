// Compiled with -march=native; includes no C++ library header, see Images.cpp.
//
// Real and imaginary parts are in separate arrays during a transform, so that loops over points need no shuffles. The
// loops of spans 1 and 2 would be too short for vectors, so one pass over groups of four does both.
#include "bench/suite/native/Fourier.h"

namespace bench::native {
namespace {

constexpr size_t MaxPoints = 4096;
struct Points {
  float re[MaxPoints], im[MaxPoints];
};

// Spans 1 and 2: their twiddles are 1 and -i.
void first(const float *in, Points &to, size_t n) {
  size_t quarter = n / 4;
#pragma omp simd
  for (size_t i = 0; i < quarter; ++i) {
    const float *a = in + 2 * i, *b = a + 2 * quarter, *c = b + 2 * quarter, *d = c + 2 * quarter;
    float acRe = a[0] + c[0], acIm = a[1] + c[1], bdRe = b[0] + d[0], bdIm = b[1] + d[1];
    float a_cRe = a[0] - c[0], a_cIm = a[1] - c[1], b_dRe = b[0] - d[0], b_dIm = b[1] - d[1];
    to.re[4 * i] = acRe + bdRe, to.im[4 * i] = acIm + bdIm;
    to.re[4 * i + 1] = a_cRe + b_dIm, to.im[4 * i + 1] = a_cIm - b_dRe;
    to.re[4 * i + 2] = acRe - bdRe, to.im[4 * i + 2] = acIm - bdIm;
    to.re[4 * i + 3] = a_cRe - b_dIm, to.im[4 * i + 3] = a_cIm + b_dRe;
  }
}

void pass(const Points &from, Points &to, const Points &twiddles, size_t n, size_t span) {
  size_t half = n / 2;
  for (size_t block = 0; block < half; block += span)
#pragma omp simd
    for (size_t k = 0; k < span; ++k) {
      float wRe = twiddles.re[span + k], wIm = twiddles.im[span + k];
      float bRe = from.re[half + block + k], bIm = from.im[half + block + k];
      float re = wRe * bRe - wIm * bIm, im = wRe * bIm + wIm * bRe;
      float aRe = from.re[block + k], aIm = from.im[block + k];
      to.re[2 * block + k] = aRe + re, to.im[2 * block + k] = aIm + im;
      to.re[2 * block + span + k] = aRe - re, to.im[2 * block + span + k] = aIm - im;
    }
}
} // namespace

void fft(const float *in, float *out, const float *twiddles, size_t n, Range transforms) {
  // The twiddles of each span are consecutive, after those of the smaller spans.
  Points ordered, room[2];
  for (size_t span = 4; span < n; span *= 2)
    for (size_t k = 0; k < span; ++k) {
      ordered.re[span + k] = twiddles[2 * k * (n / 2 / span)];
      ordered.im[span + k] = twiddles[2 * k * (n / 2 / span) + 1];
    }
  for (size_t transform = transforms.first; transform < transforms.end; ++transform) {
    Points *from = &room[0], *to = &room[1];
    first(in + 2 * n * transform, *from, n);
    for (size_t span = 4; span < n; span *= 2) {
      pass(*from, *to, ordered, n, span);
      Points *swap = from;
      from = to;
      to = swap;
    }
#pragma omp simd
    for (size_t i = 0; i < n; ++i) {
      out[2 * (n * transform + i)] = from->re[i];
      out[2 * (n * transform + i) + 1] = from->im[i];
    }
  }
}

} // namespace bench::native
