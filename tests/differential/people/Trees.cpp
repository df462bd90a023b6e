// Tree reductions and scans in local memory, with a barrier after each step.
#include "tests/differential/people/Shapes.h"

namespace kiln::differential::people {
namespace {

/// Common parts of trees and scans: a tile in local memory with one element per work-item.
struct LocalTile {
  Kernel &k;
  Bounded id, size;
  Kind kind;
  unsigned tile;
  Op op;

  explicit LocalTile(Kernel &kernel) : k(kernel), id(k.localLinearId()), size(k.groupSize()) {
    const bool isOfFloats = k.random.chance(35);
    kind = isOfFloats ? k.random.of(Kind::F32, Kind::F32, Kind::F64) : k.anyInteger();
    op = isOfFloats ? Op::Add : k.random.of(Op::Add, Op::Add, Op::Add, Op::Max, Op::Min, Op::Xor);
    // Sums fit in int. A store to a narrower element truncates them.
    const Wide limit = std::min<Wide>(highest(isOfFloats ? Kind::I32 : kind), 1 << 28);
    tile = k.local(kind, k.groupItems(), isSigned(kind) || isOfFloats ? -limit : 0, limit);
    const unsigned from = k.anyInput(isOfFloats);
    Bounded start = k.random.chance(60) ? k.load(from, k.index(k.number(1), k.elements(from)))
                                        : (isOfFloats ? cast(k.number(2), kind) : k.number(2));
    const bool isSmall = start.isWithin(-(1 << 17), 1 << 17);
    k.store(tile, id.expression, isSmall ? start : *binary(Op::And, id, k.amount(15)));
    k.barrier();
  }

  Bounded element(const Expression &index) { return k.load(tile, index); }
  /// tile[to] = tile[to] op tile[from];
  void combine(const Bounded &to, const Bounded &from) {
    std::optional<Bounded> result = binary(op, element(to.expression), element(from.expression));
    if (result)
      k.store(tile, to.expression, std::move(*result));
  }
  /// Loops over the distances 1, 2, 4, ... below the local size; each step ends with a barrier.
  template <typename Body> void doubling(Body body) {
    const auto count = Wide(k.groupItems());
    const bool shifts = k.random.chance(50);
    k.loop(
        k.kindFor(0, 4 * count), constant(1), 1, std::max<Wide>(count - 1, 1),
        [&](const Bounded &s) { return binary(Op::Less, s, size)->expression; },
        [&](const Bounded &s) {
          return shifts ? *binary(Op::ShiftLeft, s, constant(1)) : *binary(Op::Multiply, s, constant(2));
        },
        [&](const Bounded &s) {
          body(s);
          k.barrier();
        });
  }
  Expression isInside(const Bounded &index) { return binary(Op::Less, index, size)->expression; }

  void storeResults() {
    const Bounded group = k.groupNumber();
    if (k.random.chance(60)) { // if (lid == 0) out[group] = tile[0];
      const unsigned memory = k.output(kind, k.groups());
      k.branch(binary(Op::Equal, id, constant(0))->expression,
               [&] { k.store(memory, group.expression, element(constant(0).expression)); });
    }
    if (k.random.chance(60)) {
      Kernel::ElementIndex target = k.distinctIndex();
      const unsigned memory = k.output(kind, target.elements);
      k.store(memory, target.index, element(id.expression));
    }
  }
};

} // namespace

void addTree(Kernel &k) {
  LocalTile local(k);
  const Bounded &id = local.id;
  switch (k.random.below(4)) {
  case 0: // if (lid % (2 * s) == 0 && lid + s < size)
  case 1: // if ((lid & (2 * s - 1)) == 0 && ...)
    local.doubling([&](const Bounded &s) {
      Bounded twice =
          k.random.chance(70) ? *binary(Op::Multiply, constant(2), s) : *binary(Op::ShiftLeft, s, constant(1));
      Bounded rest = k.random.chance(50) ? *binary(Op::Remainder, id, std::move(twice))
                                         : *binary(Op::And, id, *binary(Op::Subtract, std::move(twice), constant(1)));
      Expression first = binary(Op::Equal, std::move(rest), constant(0))->expression;
      const Bounded other = *binary(Op::Add, id, s);
      if (k.random.chance(70))
        return k.branch(logical(Expression::What::AndThen, std::move(first), local.isInside(other)),
                        [&] { local.combine(id, other); });
      k.branch(std::move(first), [&] { k.branch(local.isInside(other), [&] { local.combine(id, other); }); });
    });
    break;
  case 2: // at = 2 * s * lid; if (at + s < size)
    local.doubling([&](const Bounded &s) {
      const Bounded at = k.declare(*binary(Op::Multiply, *binary(Op::Multiply, constant(2), s), id));
      const Bounded other = *binary(Op::Add, at, s);
      k.branch(local.isInside(other), [&] { local.combine(at, other); });
    });
    break;
  default: { // for (s = size / 2; s > 0; s >>= 1) if (lid < s)
    const auto count = Wide(k.groupItems());
    const bool shifts = k.random.chance(60);
    k.loop(
        k.kindFor(0, count), *binary(Op::Divide, local.size, constant(2)), 1, std::max<Wide>(count / 2, 1),
        [&](const Bounded &s) {
          return binary(k.random.of(Op::Greater, Op::Greater, Op::NotEqual), s, constant(0))->expression;
        },
        [&](const Bounded &s) {
          return shifts ? *binary(Op::ShiftRight, s, constant(1)) : *binary(Op::Divide, s, constant(2));
        },
        [&](const Bounded &s) {
          k.branch(binary(Op::Less, id, s)->expression, [&] { local.combine(id, *binary(Op::Add, id, s)); });
          k.barrier();
        });
    break;
  }
  }
  local.storeResults();
}

/// for (d = 1; d < size; d *= 2) { x = lid >= d ? tile[lid - d] : 0; barrier; tile[lid] += x; barrier; }
void addScan(Kernel &k) {
  LocalTile local(k);
  const Bounded &id = local.id;
  local.doubling([&](const Bounded &d) {
    Expression reaches = binary(Op::GreaterEqual, id, d)->expression;
    const Bounded limits = local.element(id.expression);
    const std::optional<Bounded> earlier = binary(Op::Subtract, id, d);
    const Bounded x = k.declareMutable(local.kind, constant(local.kind, 0), limits.low, limits.high);
    k.branch(reaches, [&] { k.assign(x, local.element(earlier->expression)); });
    k.barrier();
    auto add = [&] {
      if (std::optional<Bounded> sum = binary(local.op, local.element(id.expression), x))
        k.store(local.tile, id.expression, std::move(*sum));
    };
    if (k.random.chance(50))
      k.branch(binary(Op::GreaterEqual, id, d)->expression, add);
    else
      add();
  });
  local.storeResults();
}

} // namespace kiln::differential::people
