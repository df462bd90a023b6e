#include "bench/reference/Sparse.h"
#include "bench/Reference.h"
#include <algorithm>

namespace bench {

SparseMatrix sparseMatrix(size_t rows) {
  constexpr size_t Most = 24, Near = 512;
  SparseMatrix made;
  std::vector<uint32_t> words = randomWords(rows * (Most + 1), 3);
  for (size_t row = 0; row < rows; ++row) {
    const uint32_t *mine = &words[row * (Most + 1)];
    made.starts.push_back(int32_t(made.values.size()));
    for (size_t i = 0; i < 8 + mine[Most] % (Most - 7); ++i) {
      size_t near = (row + mine[i] / 8 % Near + rows - Near / 2) % rows, far = mine[i] / 8 % rows;
      made.columns.push_back(int32_t(mine[i] % 8 ? near : far));
      made.values.push_back(float(1 + mine[i] % 7));
    }
    std::sort(made.columns.begin() + made.starts.back(), made.columns.end());
  }
  made.starts.push_back(int32_t(made.values.size()));
  return made;
}

std::vector<float> product(const SparseMatrix &a, const std::vector<float> &x) {
  std::vector<float> y(a.starts.size() - 1, 0.0f);
  for (size_t row = 0; row < y.size(); ++row)
    for (int32_t k = a.starts[row]; k < a.starts[row + 1]; ++k)
      y[row] += a.values[size_t(k)] * x[size_t(a.columns[size_t(k)])];
  return y;
}

} // namespace bench
