// Rows to columns by shuffles of two vectors, which is what processors have.
#include "passes/simd/Widener.h"

using namespace mlir;

namespace kiln {
namespace {
unsigned lengthOf(Value vector) { return unsigned(cast<VectorType>(vector.getType()).getNumElements()); }
} // namespace

// Swaps, between rows that are `step` apart, what the first has in places with that bit for what the other has without:
// once for each bit of a place, and rows are columns.
void Widener::exchange(MutableArrayRef<Value> rows, unsigned step) {
  const unsigned length = lengthOf(rows[0]);
  for (unsigned row = 0; row < rows.size(); ++row) {
    if (row & step)
      continue;
    Value a = rows[row], other = rows[row + step];
    SmallVector<int64_t> upper, lower;
    for (unsigned place = 0; place < length; ++place) {
      upper.push_back(place & step ? length + place - step : place);
      lower.push_back(place & step ? length + place : place + step);
    }
    rows[row] = shuffle(a, other, upper), rows[row + step] = shuffle(a, other, lower);
  }
}

// The same for the two lowest bits, in fewer instructions where numbers have 32 bits: pairs next to each other first.
void Widener::exchangeFours(MutableArrayRef<Value> rows) {
  const unsigned length = lengthOf(rows[0]);
  auto inFours = [&](ArrayRef<int64_t> four) {
    SmallVector<int64_t> order;
    for (unsigned place = 0; place < length; ++place)
      order.push_back((four[place % 4] >= 4 ? length + four[place % 4] - 4 : four[place % 4]) + place / 4 * 4);
    return order;
  };
  for (unsigned row = 0; row < rows.size(); row += 4) {
    Value low = shuffle(rows[row], rows[row + 1], inFours({0, 4, 1, 5}));
    Value high = shuffle(rows[row], rows[row + 1], inFours({2, 6, 3, 7}));
    Value otherLow = shuffle(rows[row + 2], rows[row + 3], inFours({0, 4, 1, 5}));
    Value otherHigh = shuffle(rows[row + 2], rows[row + 3], inFours({2, 6, 3, 7}));
    rows[row] = shuffle(low, otherLow, inFours({0, 1, 4, 5}));
    rows[row + 1] = shuffle(low, otherLow, inFours({2, 3, 6, 7}));
    rows[row + 2] = shuffle(high, otherHigh, inFours({0, 1, 4, 5}));
    rows[row + 3] = shuffle(high, otherHigh, inFours({2, 3, 6, 7}));
  }
}

void Widener::exchangeAll(MutableArrayRef<Value> rows) {
  unsigned step = 1;
  if (rows.size() >= 4 && cast<VectorType>(rows[0].getType()).getElementTypeBitWidth() == 32) {
    exchangeFours(rows);
    step = 4;
  }
  for (; step < rows.size(); step *= 2)
    exchange(rows, step);
}

// So many of its elements from one place on; what is not there is poison.
Value Widener::slice(Value row, unsigned from, unsigned count) {
  const unsigned elements = lengthOf(row);
  SmallVector<int64_t> order;
  for (unsigned place = from; place < from + count; ++place)
    order.push_back(place < elements ? int64_t(place) : -1);
  return shuffle(row, row, order);
}

Value Widener::sideBySide(ArrayRef<Value> rows) {
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

// Squares of as many lanes as a row has elements stand side by side, so that the machine's vectors are full; and no
// more of them, or it would need all its registers at once.
Widener::Parts Widener::transposed(ArrayRef<Value> rows) {
  const unsigned elements = lengthOf(rows[0]), count = unsigned(llvm::PowerOf2Ceil(elements));
  const unsigned lanes = unsigned(rows.size());
  auto sliced = [&](unsigned from, unsigned length) {
    return llvm::map_to_vector(rows, [&](Value row) { return slice(row, from, length); });
  };
  if (count > lanes) {
    Parts columns = transposed(sliced(0, count / 2));
    llvm::append_range(columns, transposed(sliced(count / 2, elements - count / 2)));
    return columns;
  }
  const unsigned bits = cast<VectorType>(rows[0].getType()).getElementTypeBitWidth();
  if (lanes > count && lanes * bits > vectorBits_) {
    Parts left = transposed(rows.take_front(lanes / 2)), right = transposed(rows.drop_front(lanes / 2)), columns;
    for (auto [a, other] : llvm::zip(left, right))
      columns.push_back(sideBySide({a, other}));
    return columns;
  }
  const SmallVector<Value> padded = elements < count ? sliced(0, count) : SmallVector<Value>(rows);
  SmallVector<Value> squares;
  for (unsigned row = 0; row < count; ++row) {
    SmallVector<Value> parts;
    for (unsigned square = 0; square < lanes / count; ++square)
      parts.push_back(padded[square * count + row]);
    squares.push_back(sideBySide(parts));
  }
  exchangeAll(squares);
  return Parts(squares.begin(), squares.begin() + elements);
}

Widener::Parts Widener::untransposed(ArrayRef<Value> columns) {
  const auto count = unsigned(columns.size());
  if (count > lanes_) {
    Parts left = untransposed(columns.take_front(count / 2)), right = untransposed(columns.drop_front(count / 2)), rows;
    for (auto [a, other] : llvm::zip(left, right))
      rows.push_back(sideBySide({a, other}));
    return rows;
  }
  SmallVector<Value> squares(columns);
  exchangeAll(squares);
  Parts rows;
  for (unsigned lane = 0; lane < lanes_; ++lane)
    rows.push_back(slice(squares[lane % count], lane / count * count, count));
  return rows;
}

} // namespace kiln
