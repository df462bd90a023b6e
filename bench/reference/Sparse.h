// Sparse matrices and lists of neighbours: what lies anywhere.
#pragma once
#include "bench/Vectors.h"
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

/// Atoms of a liquid, near the points of a grid of `side` to the third.
std::vector<Vector4> liquid(size_t side);
/// The `most` atoms that are nearest on the grid, around its faces: neighbour k of atom i is at [k * count + i].
std::vector<int32_t> neighbourLists(size_t side, size_t most);
/// The force on an atom in double precision; the arguments as native/Particles.h has them.
Vector4 lennardJones(const std::vector<Vector4> &atoms, const std::vector<int32_t> &neighbours, size_t most,
                     size_t atom, double cutoff, double a, double b);

} // namespace bench
