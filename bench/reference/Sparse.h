// Sparse matrices and lists of neighbours: what lies anywhere.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

/// Row r has values[starts[r]] up to but not including values[starts[r + 1]], each in its column. Whole numbers, so
/// that sums are exact in any order.
struct SparseMatrix {
  std::vector<float> values;
  std::vector<int32_t> columns, starts;
};
/// A square with 8 to 24 values a row, most of them near the diagonal.
SparseMatrix sparseMatrix(size_t rows);
std::vector<float> product(const SparseMatrix &a, const std::vector<float> &x);

} // namespace bench
