#include "bench/suite/reference/Sparse.h"
#include "bench/suite/Reference.h"
#include <algorithm>
#include <array>

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

std::vector<Vector4> liquid(size_t side) {
  size_t count = side * side * side;
  std::vector<float> off = randomFloats(3 * count, -0.2f, 0.2f, 5);
  std::vector<Vector4> atoms(count);
  for (size_t i = 0; i < count; ++i)
    atoms[i] = {float(i % side) + off[3 * i], float(i / side % side) + off[3 * i + 1],
                float(i / side / side) + off[3 * i + 2], 0.0f};
  return atoms;
}

std::vector<int32_t> neighbourLists(size_t side, size_t maxNeighbours) {
  constexpr int Far = 3;
  std::vector<std::array<int, 3>> steps;
  for (int z = -Far; z <= Far; ++z)
    for (int y = -Far; y <= Far; ++y)
      for (int x = -Far; x <= Far; ++x)
        if (x || y || z)
          steps.push_back({x, y, z});
  auto square = [](const std::array<int, 3> &step) {
    return step[0] * step[0] + step[1] * step[1] + step[2] * step[2];
  };
  std::sort(steps.begin(), steps.end(),
            [&](auto &a, auto &b) { return square(a) != square(b) ? square(a) < square(b) : a < b; });
  size_t count = side * side * side;
  std::vector<int32_t> lists(maxNeighbours * count);
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < maxNeighbours; ++k) {
      size_t x = (i % side + side + size_t(steps[k][0])) % side,
             y = (i / side % side + side + size_t(steps[k][1])) % side,
             z = (i / side / side + side + size_t(steps[k][2])) % side;
      lists[k * count + i] = int32_t((z * side + y) * side + x);
    }
  return lists;
}

Vector4 lennardJones(const std::vector<Vector4> &atoms, const std::vector<int32_t> &neighbours, size_t maxNeighbours,
                     size_t atom, double cutoff, double a, double b) {
  double force[3] = {};
  for (size_t k = 0; k < maxNeighbours; ++k) {
    const Vector4 &self = atoms[atom], &other = atoms[size_t(neighbours[k * atoms.size() + atom])];
    double offset[3] = {double(self.x) - other.x, double(self.y) - other.y, double(self.z) - other.z};
    double square = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2],
           sixth = 1 / (square * square * square);
    for (int axis = 0; axis < 3 && square < cutoff; ++axis)
      force[axis] += offset[axis] * sixth * (a * sixth - b) / square;
  }
  return {float(force[0]), float(force[1]), float(force[2]), 0.0f};
}

} // namespace bench
