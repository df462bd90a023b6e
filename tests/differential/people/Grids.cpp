// Two dimensions in one index and back, transposed accesses, and stencils with edge handling.
#include "tests/differential/people/Shapes.h"
#include <bit>

namespace kiln::differential::people {

/// x = i % width; y = i / width; out[y * width + x] = f(x, y), or transposed.
void addRows(Kernel &k) {
  const Bounded i = k.uniqueId();
  const auto count = size_t(i.high + 1);
  const unsigned width = k.random.of(1, 2, 3, 5, 7, 8, 16, 16, 33, 64, 100);
  const size_t height = (count + width - 1) / width;
  const Bounded w = k.amount(width), h = k.amount(Wide(height));
  const bool isPowerOfTwo = (width & (width - 1)) == 0;
  Bounded column =
      isPowerOfTwo && k.random.chance(30) ? *binary(Op::And, i, k.amount(width - 1)) : *binary(Op::Remainder, i, w);
  Bounded row = isPowerOfTwo && k.random.chance(30) ? *binary(Op::ShiftRight, i, k.amount(std::countr_zero(width)))
                                                    : *binary(Op::Divide, i, w);
  const Bounded x = k.declare(std::move(column)), y = k.declare(std::move(row));
  auto index = [&](const Bounded &a, const Bounded &by, const Bounded &b) {
    return binary(Op::Add, *binary(Op::Multiply, a, by), b)->expression;
  };
  auto anyIndex = [&] { return k.random.chance(50) ? index(y, w, x) : index(x, h, y); };
  const unsigned memory = k.output(k.anyKind(), width * height);
  const Kind kind = k.typeOf(memory).kind;
  const Expression at = anyIndex();
  auto store = [&] {
    const bool isCopy = k.random.chance(50);
    if (!isCopy)
      return k.store(memory, at, k.value(kind, 2));
    const unsigned from = k.structs({{kind, 1}}, width * height);
    k.store(memory, at, k.load(from, anyIndex()));
  };
  if (k.random.chance(60)) {
    Expression inside = k.random.chance(50)
                            ? logical(Expression::What::AndThen, binary(Op::Less, x, k.amount(width - 1))->expression,
                                      binary(Op::Greater, y, constant(0))->expression)
                            : k.condition(2);
    k.branch(std::move(inside), store, [&] {
      if (k.random.chance(50))
        k.store(memory, at, k.value(kind, 1));
    });
  } else {
    store();
  }
}

/// Sums up the neighbours of each element. Edges are clamped, wrapped around, or skipped.
void addStencil(Kernel &k) {
  const unsigned dimensions = k.range().dimensions;
  const Bounded x = k.globalId(0), y = dimensions > 1 ? k.globalId(1) : constant(0);
  const auto width = size_t(x.high + 1), height = size_t(y.high + 1);
  const Bounded w = k.amount(Wide(width)), h = k.amount(Wide(height));
  const unsigned from = k.structs({{k.anyKind(), 1}}, width * height);
  const Kind kind = isFloat(k.typeOf(from).kind) ? k.typeOf(from).kind : k.random.of(Kind::I32, Kind::I64, Kind::U32);
  const unsigned edge = k.random.below(3);
  auto moved = [&](const Bounded &at, const Bounded &size, int by) -> std::optional<Bounded> {
    if (by == 0)
      return at;
    std::optional<Bounded> result =
        by < 0 ? binary(Op::Subtract, at, k.amount(-by)) : binary(Op::Add, at, k.amount(by));
    if (!result)
      return {};
    const Wide last = size.low - 1;
    if (edge == 0)
      return isSigned(result->kind()) ? clamp(std::move(*result), constant(0), k.amount(last))
                                      : binary(Op::Min, std::move(*result), k.amount(last));
    if (edge == 1) {
      if (result->low < 0)
        result = binary(Op::Add, std::move(*result), size);
      return result ? binary(Op::Remainder, std::move(*result), size) : result;
    }
    return result;
  };
  auto at = [&](int dx, int dy) -> std::optional<Bounded> {
    const std::optional<Bounded> column = moved(x, w, dx);
    if (dimensions == 1 || !column)
      return column;
    const std::optional<Bounded> row = moved(y, h, dy);
    if (!row)
      return {};
    std::optional<Bounded> product = binary(Op::Multiply, *row, w);
    return product ? binary(Op::Add, std::move(*product), *column) : product;
  };
  const int reach = k.random.of(1, 1, 1, 2);
  Bounded sum = cast(k.load(from, at(0, 0)->expression), kind);
  auto add = [&](int dx, int dy) {
    const std::optional<Bounded> index = at(dx, dy);
    if (!index)
      return;
    if (std::optional<Bounded> more =
            binary(k.random.of(Op::Add, Op::Add, Op::Subtract), sum, cast(k.load(from, index->expression), kind)))
      sum = std::move(*more);
  };
  add(-reach, 0), add(reach, 0);
  if (dimensions > 1)
    add(0, -reach), add(0, reach);
  Kernel::ElementIndex target = k.distinctIndex();
  const unsigned memory = k.output(k.random.chance(60) ? kind
                                   : isFloat(kind)     ? Kind::F64
                                                       : k.anyInteger(),
                                   target.elements);
  auto store = [&] { k.store(memory, target.index, std::move(sum)); };
  if (edge < 2)
    return store();
  // x >= r && x + r < w && ..., or x > r - 1 && x < w - r
  auto inside = [&](const Bounded &id, const Bounded &size) {
    Expression low = k.random.chance(50) ? binary(Op::GreaterEqual, id, k.amount(reach))->expression
                                         : binary(Op::Greater, id, k.amount(reach - 1))->expression;
    Expression high = binary(Op::Less, id, k.amount(size.low - reach))->expression;
    if (size.low < reach)
      high = binary(Op::Less, id, constant(0))->expression;
    return logical(Expression::What::AndThen, std::move(low), std::move(high));
  };
  Expression condition = inside(x, w);
  if (dimensions > 1)
    condition = logical(Expression::What::AndThen, std::move(condition), inside(y, h));
  k.branch(std::move(condition), store, [&] {
    if (k.random.chance(50))
      k.store(memory, target.index, k.value(kind, 1));
  });
}

} // namespace kiln::differential::people
