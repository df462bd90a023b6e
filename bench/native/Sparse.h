// Loops whose operands lie anywhere.
#pragma once
#include "bench/native/Range.h"
#include <stdint.h>

namespace bench::native {

/// y = a * x for a sparse matrix by rows.
void spmv(const float *values, const int32_t *columns, const int32_t *starts, const float *x, float *y, Rows rows);

} // namespace bench::native
