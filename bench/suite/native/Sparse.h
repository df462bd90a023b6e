// Loops with scattered operands.
#pragma once
#include "bench/suite/native/Range.h"
#include <stdint.h>

namespace bench::native {

/// y = a * x for a sparse matrix in CSR form.
void spmv(const float *values, const int32_t *columns, const int32_t *starts, const float *x, float *y, Rows rows);

} // namespace bench::native
