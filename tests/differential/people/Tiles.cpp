// Tiles in local memory: exchange between work-items of a group, and tiles with a halo.
#include "tests/differential/people/Shapes.h"

namespace kiln::differential::people {

/// tile[lid] = x; barrier; y = tile[another work-item];
void addExchange(Kernel &k) {
  const Bounded id = k.localLinearId(), size = k.groupSize();
  const Kind kind = k.anyKind();
  Wide low = isFloat(kind) ? -1000 : lowest(kind), high = isFloat(kind) ? 1000 : highest(kind);
  const bool isWholeGroup = size.low == size.high;
  const unsigned tile = k.local(kind, k.groupItems(), low, high);
  const unsigned from = k.anyInput(isFloat(kind));
  const bool isCopy = !isFloat(kind) || k.random.chance(70);
  k.store(tile, id.expression,
          isCopy && k.random.chance(60) ? k.load(from, k.index(k.uniqueId(), k.elements(from))) : k.number(2));
  k.barrier();
  std::optional<Bounded> other;
  switch (k.random.below(6)) {
  case 0:
    other = binary(Op::Remainder, *binary(Op::Add, id, k.amount(k.random.of(1, 2, 3, 7, 16, 100))), size);
    break;
  case 1: // reversed
    other = binary(Op::Subtract, *binary(Op::Subtract, size, constant(1)), id);
    break;
  case 2: { // pairs
    Bounded pair = *binary(Op::Xor, id, k.amount(k.random.of(1, 1, 2, 4)));
    other = conditional(binary(Op::Less, pair, size)->expression, pair, id);
    break;
  }
  case 3:
    other =
        binary(Op::Min, *binary(Op::Add, id, k.amount(k.random.of(1, 2, 5))), *binary(Op::Subtract, size, constant(1)));
    break;
  case 4: // transposed
    if (k.range().dimensions == 2 && isWholeGroup) {
      const auto width = Wide(k.range().local[0]), height = Wide(k.range().local[1]);
      const Bounded w = k.amount(width), h = k.amount(height);
      const Bounded row = *binary(Op::Divide, id, h), column = *binary(Op::Remainder, id, h);
      other = binary(Op::Add, *binary(Op::Multiply, column, w), row);
    } else {
      other = binary(Op::Divide, id, k.amount(k.random.of(2, 3, 8)));
    }
    break;
  default:
    other = binary(Op::Remainder, *binary(Op::Multiply, id, k.amount(k.random.of(2, 3, 5))), size);
    break;
  }
  Kernel::ElementIndex target = k.distinctIndex();
  const unsigned memory = k.output(kind, target.elements);
  Bounded result = k.load(tile, other ? other->expression : id.expression);
  auto store = [&] { k.store(memory, target.index, std::move(result)); };
  if (k.random.chance(30))
    k.branch(k.condition(1), store);
  else
    store();
}

/// A tile of the group's elements and `reach` more at both ends. Indices beyond the data are clamped.
void addHalo(Kernel &k) {
  const Bounded id = k.localId(0), size = k.query(Query::LocalSize);
  if (k.range().dimensions > 1)
    return addExchange(k);
  const int reach = k.random.of(1, 1, 2, 3);
  const auto count = size_t(k.globalId(0).high + 1);
  const Bounded i = k.globalId(0), last = k.amount(Wide(count) - 1);
  const Kind kind = k.random.chance(50) ? k.random.of(Kind::F32, Kind::F64) : k.anyInteger();
  const unsigned from = k.structs({{kind, 1}}, count);
  const Bounded limits = k.load(from, i.expression);
  const unsigned tile = k.local(kind, k.groupItems() + 2 * size_t(reach), limits.low, limits.high);
  auto at = [&](const Bounded &index, int by) {
    return by ? binary(Op::Add, index, k.amount(by))->expression : index.expression;
  };
  k.store(tile, at(id, reach), k.load(from, i.expression));
  // if (lid < reach) tile[lid] = in[max(i - reach, 0)];
  k.branch(binary(Op::Less, id, k.amount(reach))->expression, [&] {
    Bounded before = *binary(Op::Subtract, cast(i, k.random.of(Kind::I32, Kind::I64)), k.amount(reach));
    before = k.random.chance(50) && isSigned(before.kind())
                 ? *binary(Op::Max, std::move(before), constant(0))
                 : conditional(binary(Op::GreaterEqual, i, k.amount(reach))->expression, before, constant(0));
    k.store(tile, id.expression, k.load(from, std::move(before.expression)));
  });
  // if (lid >= size - reach) tile[lid + 2 * reach] = in[min(i + reach, n - 1)];
  k.branch(binary(Op::GreaterEqual, *binary(Op::Add, id, k.amount(reach)), size)->expression, [&] {
    Bounded after = *binary(Op::Min, *binary(Op::Add, i, k.amount(reach)), last);
    k.store(tile, at(id, 2 * reach), k.load(from, std::move(after.expression)));
  });
  k.barrier();
  const Kind wide = isFloat(kind) ? kind : k.random.of(Kind::I32, Kind::I64, Kind::U32);
  Bounded sum = cast(k.load(tile, at(id, reach)), wide);
  for (int offset : {0, 2 * reach})
    if (std::optional<Bounded> more =
            binary(k.random.of(Op::Add, Op::Subtract), sum, cast(k.load(tile, at(id, offset)), wide)))
      sum = std::move(*more);
  Kernel::ElementIndex target = k.distinctIndex();
  const unsigned memory = k.output(wide, target.elements);
  k.store(memory, target.index, std::move(sum));
}

} // namespace kiln::differential::people
