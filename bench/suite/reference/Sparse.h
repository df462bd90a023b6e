// Sparse matrices and neighbour lists: inputs with scattered accesses.
#pragma once
#include "bench/suite/Vectors.h"
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

/// Row r has the values [starts[r], starts[r + 1]), each with its column. Values are whole numbers, so that sums are
/// exact in any order.
struct SparseMatrix {
  std::vector<float> values;
  std::vector<int32_t> columns, starts;
};
/// A square matrix with 8 to 24 values per row, most of them near the diagonal.
SparseMatrix sparseMatrix(size_t rows);
std::vector<float> product(const SparseMatrix &a, const std::vector<float> &x);

/// Atoms of a liquid, near the points of a grid of side^3 points.
std::vector<Vector4> liquid(size_t side);
/// The `maxNeighbours` nearest atoms on the grid, which wraps around at its faces: neighbour k of atom i is at
/// [k * count + i].
std::vector<int32_t> neighbourLists(size_t side, size_t maxNeighbours);
/// The force on an atom in double precision; for the arguments see native/Particles.h.
Vector4 lennardJones(const std::vector<Vector4> &atoms, const std::vector<int32_t> &neighbours, size_t maxNeighbours,
                     size_t atom, double cutoff, double a, double b);

} // namespace bench
