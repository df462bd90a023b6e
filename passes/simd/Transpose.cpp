// Transposes rows to columns by shuffles of two vectors each.
#include "passes/simd/Widener.h"

using namespace mlir;

namespace kiln {
namespace {
unsigned lengthOf(Value vector) { return unsigned(cast<VectorType>(vector.getType()).getNumElements()); }
} // namespace

// One step of a transpose. For rows that are `step` apart, swaps the elements of the first row whose index has the bit
// `step` with those of the second whose index has it clear. Done once for each bit of an index, rows become columns.
void Widener::exchange(MutableArrayRef<Value> rows, unsigned step) {
  const unsigned length = lengthOf(rows[0]);
  for (unsigned row = 0; row < rows.size(); ++row) {
    if (row & step)
      continue;
    Value a = rows[row], other = rows[row + step];
    SmallVector<int64_t> upper, lower;
    for (unsigned element = 0; element < length; ++element) {
      upper.push_back(element & step ? length + element - step : element);
      lower.push_back(element & step ? length + element : element + step);
    }
    rows[row] = shuffle(a, other, upper), rows[row + step] = shuffle(a, other, lower);
  }
}

// Both lowest bits in one step: pairs of adjacent rows first. For 32-bit elements this takes fewer x86 instructions.
void Widener::transposeQuads(MutableArrayRef<Value> rows) {
  const unsigned length = lengthOf(rows[0]);
  auto inQuads = [&](ArrayRef<int64_t> four) {
    SmallVector<int64_t> order;
    for (unsigned element = 0; element < length; ++element)
      order.push_back((four[element % 4] >= 4 ? length + four[element % 4] - 4 : four[element % 4]) + element / 4 * 4);
    return order;
  };
  for (unsigned row = 0; row < rows.size(); row += 4) {
    Value low = shuffle(rows[row], rows[row + 1], inQuads({0, 4, 1, 5}));
    Value high = shuffle(rows[row], rows[row + 1], inQuads({2, 6, 3, 7}));
    Value otherLow = shuffle(rows[row + 2], rows[row + 3], inQuads({0, 4, 1, 5}));
    Value otherHigh = shuffle(rows[row + 2], rows[row + 3], inQuads({2, 6, 3, 7}));
    rows[row] = shuffle(low, otherLow, inQuads({0, 1, 4, 5}));
    rows[row + 1] = shuffle(low, otherLow, inQuads({2, 3, 6, 7}));
    rows[row + 2] = shuffle(high, otherHigh, inQuads({0, 1, 4, 5}));
    rows[row + 3] = shuffle(high, otherHigh, inQuads({2, 3, 6, 7}));
  }
}

void Widener::exchangeAll(MutableArrayRef<Value> rows) {
  unsigned step = 1;
  if (rows.size() >= 4 && cast<VectorType>(rows[0].getType()).getElementTypeBitWidth() == 32) {
    transposeQuads(rows);
    step = 4;
  }
  for (; step < rows.size(); step *= 2)
    exchange(rows, step);
}

// `count` elements from index `from` on. Elements past the end are poison.
Value Widener::slice(Value row, unsigned from, unsigned count) {
  const unsigned elements = lengthOf(row);
  SmallVector<int64_t> order;
  for (unsigned element = from; element < from + count; ++element)
    order.push_back(element < elements ? int64_t(element) : -1);
  return shuffle(row, row, order);
}

Value Widener::concat(ArrayRef<Value> rows) {
  SmallVector<Value> joined(rows);
  while (joined.size() > 1) {
    const auto length = int64_t(lengthOf(joined[0]));
    SmallVector<Value> next;
    for (size_t at = 0; at < joined.size(); at += 2)
      next.push_back(shuffle(joined[at], joined[at + 1], llvm::to_vector(llvm::seq<int64_t>(0, 2 * length))));
    joined = std::move(next);
  }
  return joined[0];
}

// Squares (as many lanes as a row has elements) are transposed side by side, as many as fill a machine register. More
// would need too many registers at once.
Widener::Vectors Widener::transposed(ArrayRef<Value> rows) {
  const unsigned elements = lengthOf(rows[0]), count = unsigned(llvm::PowerOf2Ceil(elements));
  const unsigned lanes = unsigned(rows.size());
  auto sliced = [&](unsigned from, unsigned length) {
    return llvm::map_to_vector(rows, [&](Value row) { return slice(row, from, length); });
  };
  if (count > lanes) {
    Vectors columns = transposed(sliced(0, count / 2));
    llvm::append_range(columns, transposed(sliced(count / 2, elements - count / 2)));
    return columns;
  }
  const unsigned bits = cast<VectorType>(rows[0].getType()).getElementTypeBitWidth();
  if (lanes > count && lanes * bits > vectorBits_) {
    Vectors left = transposed(rows.take_front(lanes / 2)), right = transposed(rows.drop_front(lanes / 2)), columns;
    for (auto [a, other] : llvm::zip(left, right))
      columns.push_back(concat({a, other}));
    return columns;
  }
  const SmallVector<Value> padded = elements < count ? sliced(0, count) : SmallVector<Value>(rows);
  SmallVector<Value> squares;
  for (unsigned row = 0; row < count; ++row) {
    SmallVector<Value> vectors;
    for (unsigned square = 0; square < lanes / count; ++square)
      vectors.push_back(padded[square * count + row]);
    squares.push_back(concat(vectors));
  }
  exchangeAll(squares);
  return Vectors(squares.begin(), squares.begin() + elements);
}

Widener::Vectors Widener::untransposed(ArrayRef<Value> columns) {
  const auto count = unsigned(columns.size());
  if (count > lanes_) {
    Vectors left = untransposed(columns.take_front(count / 2)), right = untransposed(columns.drop_front(count / 2)),
            rows;
    for (auto [a, other] : llvm::zip(left, right))
      rows.push_back(concat({a, other}));
    return rows;
  }
  SmallVector<Value> squares(columns);
  exchangeAll(squares);
  Vectors rows;
  for (unsigned lane = 0; lane < lanes_; ++lane)
    rows.push_back(slice(squares[lane % count], lane / count * count, count));
  return rows;
}

} // namespace kiln
