// Compiled with -march=native; includes no C++ library header, see Images.cpp.
#include "bench/suite/native/Sparse.h"

namespace bench::native {

void spmv(const float *values, const int32_t *columns, const int32_t *starts, const float *x, float *y, Rows rows) {
  for (size_t row = rows.first; row < rows.end; ++row) {
    float sum = 0;
    for (int32_t k = starts[row]; k < starts[row + 1]; ++k)
      sum += values[k] * x[columns[k]];
    y[row] = sum;
  }
}

} // namespace bench::native
