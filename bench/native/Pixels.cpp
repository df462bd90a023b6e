// Compiled for the building machine's own processor; includes nothing of the C++ library, see Images.cpp.
//
// Compilers vectorise no loop around one that ends by what it computed. So neighbours are iterated together, in arrays
// that are small enough for registers, until the last of them is done.
#include "bench/native/Pixels.h"

namespace bench::native {
namespace {
constexpr size_t Together = 16;
}

void mandelbrot(int32_t *counts, size_t width, Plane plane, int32_t limit, Rows rows) {
  for (size_t row = rows.first; row < rows.end; ++row)
    for (size_t column = 0; column < width; column += Together) {
      float cx[Together], cy = plane.top + plane.step * float(row), x[Together] = {}, y[Together] = {};
      int32_t count[Together] = {};
      for (size_t i = 0; i < Together; ++i)
        cx[i] = plane.left + plane.step * float(column + i);
      for (int32_t iteration = 0; iteration < limit; ++iteration) {
        int32_t inside = 0;
#pragma omp simd reduction(+ : inside)
        for (size_t i = 0; i < Together; ++i) {
          // Points outside go on to infinity and NaN, and neither comes back inside.
          int32_t in = x[i] * x[i] + y[i] * y[i] <= 4.0f;
          float next = x[i] * x[i] - y[i] * y[i] + cx[i];
          y[i] = 2.0f * x[i] * y[i] + cy;
          x[i] = next;
          count[i] += in;
          inside += in;
        }
        if (!inside)
          break;
      }
      for (size_t i = 0; i < Together; ++i)
        counts[row * width + column + i] = count[i];
    }
}

} // namespace bench::native
