#include "passes/simd/emit/Transpose.h"

using namespace mlir;

namespace kiln {
namespace {

// One step of a transpose. For rows that are `step` apart, swaps the elements of the first row whose index has the bit
// `step` with those of the second whose index has it clear. Done once for each bit of an index, rows become columns.
void exchange(VectorBuilder &b, MutableArrayRef<Value> rows, unsigned step) {
  const unsigned length = componentCount(rows[0].getType());
  for (unsigned row = 0; row < rows.size(); ++row) {
    if (row & step)
      continue;
    Value a = rows[row], other = rows[row + step];
    SmallVector<int64_t> upper, lower;
    for (unsigned element = 0; element < length; ++element) {
      upper.push_back(element & step ? length + element - step : element);
      lower.push_back(element & step ? length + element : element + step);
    }
    rows[row] = b.shuffle(a, other, upper), rows[row + step] = b.shuffle(a, other, lower);
  }
}

// Both lowest bits in one step: pairs of adjacent rows first (CpuTargetInfo::quadTransposeBits).
void transposeQuads(VectorBuilder &b, MutableArrayRef<Value> rows) {
  const unsigned length = componentCount(rows[0].getType());
  auto inQuads = [&](ArrayRef<int64_t> four) {
    SmallVector<int64_t> order;
    for (int64_t element = 0; element < length; ++element)
      order.push_back((four[element % 4] >= 4 ? length + four[element % 4] - 4 : four[element % 4]) + element / 4 * 4);
    return order;
  };
  for (unsigned row = 0; row < rows.size(); row += 4) {
    Value low = b.shuffle(rows[row], rows[row + 1], inQuads({0, 4, 1, 5}));
    Value high = b.shuffle(rows[row], rows[row + 1], inQuads({2, 6, 3, 7}));
    Value otherLow = b.shuffle(rows[row + 2], rows[row + 3], inQuads({0, 4, 1, 5}));
    Value otherHigh = b.shuffle(rows[row + 2], rows[row + 3], inQuads({2, 6, 3, 7}));
    rows[row] = b.shuffle(low, otherLow, inQuads({0, 1, 4, 5}));
    rows[row + 1] = b.shuffle(low, otherLow, inQuads({2, 3, 6, 7}));
    rows[row + 2] = b.shuffle(high, otherHigh, inQuads({0, 1, 4, 5}));
    rows[row + 3] = b.shuffle(high, otherHigh, inQuads({2, 3, 6, 7}));
  }
}

void exchangeAll(VectorBuilder &b, MutableArrayRef<Value> rows) {
  unsigned step = 1;
  if (rows.size() >= 4 &&
      cast<VectorType>(rows[0].getType()).getElementTypeBitWidth() == b.target().quadTransposeBits) {
    transposeQuads(b, rows);
    step = 4;
  }
  for (; step < rows.size(); step *= 2)
    exchange(b, rows, step);
}

// LLVM lowers a shuffle of a long vector result by result: for 16 columns in 15 instructions each, a transpose in 4.
bool isLongTranspose(unsigned count) { return count >= 8 && llvm::isPowerOf2_32(count); }

} // namespace

// Joins pairs of vectors, then pairs of pairs, and orders the elements by one shuffle.
Value interleave(VectorBuilder &b, ArrayRef<Value> columns) {
  if (isLongTranspose(unsigned(columns.size())))
    return b.concat(untransposed(b, columns));
  SmallVector<Value> joined(columns);
  unsigned count = unsigned(columns.size());
  while (!llvm::isPowerOf2_64(joined.size()))
    joined.push_back(b.poison(joined[0].getType()));
  int64_t length = b.lanes();
  for (; joined.size() > 1; length *= 2) {
    SmallVector<int64_t> order(2 * length);
    for (int64_t at = 0; at < 2 * length; ++at)
      order[at] = at;
    SmallVector<Value> next;
    for (size_t at = 0; at < joined.size(); at += 2)
      next.push_back(b.shuffle(joined[at], joined[at + 1], order));
    joined = std::move(next);
  }
  SmallVector<int64_t> order;
  for (unsigned lane = 0; lane < b.lanes(); ++lane)
    for (unsigned component = 0; component < count; ++component)
      order.push_back(int64_t(component) * b.lanes() + lane);
  return b.shuffle(joined[0], joined[0], order);
}

Vectors deinterleave(VectorBuilder &b, Value interleaved, unsigned count) {
  Vectors vectors;
  if (isLongTranspose(count)) {
    for (unsigned lane = 0; lane < b.lanes(); ++lane)
      vectors.push_back(b.slice(interleaved, lane * count, count));
    return transposed(b, vectors);
  }
  for (unsigned component = 0; component < count; ++component) {
    SmallVector<int64_t> order;
    for (unsigned lane = 0; lane < b.lanes(); ++lane)
      order.push_back(int64_t(lane) * count + component);
    vectors.push_back(b.shuffle(interleaved, interleaved, order));
  }
  return vectors;
}

// Squares (as many lanes as a row has elements) are transposed side by side, as many as fill a machine register. More
// would need too many registers at once.
Vectors transposed(VectorBuilder &b, ArrayRef<Value> rows) {
  const unsigned elements = componentCount(rows[0].getType()), count = unsigned(llvm::PowerOf2Ceil(elements));
  const unsigned lanes = unsigned(rows.size());
  auto sliced = [&](unsigned from, unsigned length) {
    return llvm::map_to_vector(rows, [&](Value row) { return b.slice(row, from, length); });
  };
  if (count > lanes) {
    Vectors columns = transposed(b, sliced(0, count / 2));
    llvm::append_range(columns, transposed(b, sliced(count / 2, elements - count / 2)));
    return columns;
  }
  const unsigned bits = cast<VectorType>(rows[0].getType()).getElementTypeBitWidth();
  if (lanes > count && lanes * bits > b.registerBits()) {
    Vectors left = transposed(b, rows.take_front(lanes / 2)), right = transposed(b, rows.drop_front(lanes / 2)),
            columns;
    for (auto [a, other] : llvm::zip(left, right))
      columns.push_back(b.concat({a, other}));
    return columns;
  }
  const SmallVector<Value> padded = elements < count ? sliced(0, count) : SmallVector<Value>(rows);
  SmallVector<Value> squares;
  for (unsigned row = 0; row < count; ++row) {
    SmallVector<Value> vectors;
    for (unsigned square = 0; square < lanes / count; ++square)
      vectors.push_back(padded[square * count + row]);
    squares.push_back(b.concat(vectors));
  }
  exchangeAll(b, squares);
  return Vectors(squares.begin(), squares.begin() + elements);
}

Vectors untransposed(VectorBuilder &b, ArrayRef<Value> columns) {
  const auto count = unsigned(columns.size());
  if (count > b.lanes()) {
    Vectors left = untransposed(b, columns.take_front(count / 2)),
            right = untransposed(b, columns.drop_front(count / 2)), rows;
    for (auto [a, other] : llvm::zip(left, right))
      rows.push_back(b.concat({a, other}));
    return rows;
  }
  SmallVector<Value> squares(columns);
  exchangeAll(b, squares);
  Vectors rows;
  for (unsigned lane = 0; lane < b.lanes(); ++lane)
    rows.push_back(b.slice(squares[lane % count], lane / count * count, count));
  return rows;
}

} // namespace kiln
