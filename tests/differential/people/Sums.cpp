// Private loops with sums.
#include "tests/differential/people/Shapes.h"

namespace kiln::differential::people {
namespace {

/// The type of a sum of loaded numbers, and the bounds of the variable.
struct Accumulator {
  Kind kind;
  Wide low, high;
};
Accumulator accumulator(Kernel &k, bool isOfFloats) {
  const Kind kind =
      isOfFloats ? k.random.of(Kind::F32, Kind::F64) : k.random.of(Kind::I32, Kind::U32, Kind::U64, Kind::I64);
  const Wide limit = Wide(1) << (isOfFloats ? 40 : 30);
  return {kind, isSigned(kind) || isOfFloats ? -limit : 0, kind == Kind::U32 ? highest(kind) : limit};
}

/// sum += x, or sum = sum op x.
void accumulate(Kernel &k, const Bounded &sum, Bounded x) {
  const bool isOfFloats = isFloat(sum.kind());
  std::optional<Bounded> next;
  if (!isOfFloats && k.random.chance(30) && !isFloat(x.kind()))
    next = binary(k.random.of(Op::Xor, Op::Max, Op::Min, Op::Or), sum, x);
  if (!next)
    next = binary(Op::Add, sum, x);
  if (next && (isOfFloats || !isFloat(next->kind())))
    k.assign(sum, std::move(*next));
}

} // namespace

/// for (j = 0; j < n; ++j) sum += in[(i * stride + j) % count]; with continue and break.
void addSum(Kernel &k) {
  const Bounded i = k.uniqueId();
  const auto [kind, low, high] = accumulator(k, k.random.chance(50));
  const unsigned from = k.anyInput(isFloat(kind));
  const Bounded sum = k.declareMutable(kind, constant(0), low, high);
  const unsigned trips = k.random.of(1, 2, 3, 5, 8, 16, 17);
  Bounded end = k.random.chance(70) ? k.amount(trips) : *binary(Op::Remainder, i, k.amount(trips));
  const Bounded by = k.random.chance(60) ? constant(1) : k.amount(k.random.of(1, 2, 3));
  const bool walksColumns = k.random.chance(40);
  const Bounded width = k.amount(k.random.of(1, 2, 5, 16, 100));
  const Kind counter = k.kindFor(0, trips + 3);
  k.loop(
      counter, constant(0), 0, trips - 1, [&](const Bounded &j) { return binary(Op::Less, j, end)->expression; },
      [&](const Bounded &j) { return *binary(Op::Add, j, by); },
      [&](const Bounded &j) {
        if (k.random.chance(30))
          k.branch(k.condition(1),
                   [&] { k.emit({.what = k.random.chance(50) ? Statement::What::Continue : Statement::What::Break}); });
        std::optional<Bounded> at = walksColumns ? binary(Op::Multiply, j, width) : binary(Op::Multiply, i, width);
        at = at ? binary(Op::Add, std::move(*at), walksColumns ? i : j) : at;
        Bounded x = k.load(from, k.index(at ? std::move(*at) : j, k.elements(from)));
        if (k.random.chance(30))
          if (std::optional<Bounded> scaled = binary(Op::Multiply, x, cast(j, kind)))
            x = std::move(*scaled);
        if (k.random.chance(40))
          k.branch(k.condition(1), [&] { accumulate(k, sum, x); });
        else
          accumulate(k, sum, x);
      });
  Kernel::ElementIndex target = k.distinctIndex(i, size_t(i.high + 1));
  const unsigned memory = k.output(k.random.chance(70) || isFloat(kind) ? kind : k.anyInteger(), target.elements);
  k.store(memory, target.index, sum);
}

/// A loop whose counter is divided, shifted or multiplied: for (j = i; j > 0; j /= 3) count += j % 3;
void addWalk(Kernel &k) {
  const Bounded i = k.uniqueId();
  Bounded start = k.random.chance(60) ? i : k.number(2);
  if (start.low < 0 || start.high > (Wide(1) << 32))
    start = i;
  const bool isUp = k.random.chance(30);
  const Wide end = start.high + 1 + k.random.below(100);
  const Bounded by = k.amount(k.random.of(2, 2, 3, 10)), shift = k.amount(k.random.of(1, 1, 2)), limit = k.amount(end);
  const auto [kind, low, high] = accumulator(k, false);
  const Bounded sum = k.declareMutable(kind, constant(0), low, high);
  const Kind counter = k.kindFor(0, isUp ? end * 16 : start.high);
  auto next = [&](const Bounded &j) {
    if (isUp)
      return *binary(Op::Multiply, j, by);
    return k.random.chance(50) ? *binary(Op::ShiftRight, j, shift) : *binary(Op::Divide, j, by);
  };
  k.loop(
      counter, isUp ? constant(1) : std::move(start), isUp ? 1 : 0, isUp ? end - 1 : end,
      [&](const Bounded &j) {
        return isUp ? binary(Op::Less, j, k.random.chance(50) ? limit : i)->expression
                    : binary(k.random.of(Op::Greater, Op::NotEqual), j, constant(0))->expression;
      },
      next,
      [&](const Bounded &j) {
        const Bounded x = k.random.chance(50) ? *binary(Op::Remainder, j, by) : k.number(2);
        if (k.random.chance(40))
          k.branch(k.condition(2), [&] { accumulate(k, sum, x); });
        else
          accumulate(k, sum, x);
      });
  Kernel::ElementIndex target = k.distinctIndex(i, size_t(i.high + 1));
  const unsigned memory = k.output(k.random.chance(70) ? kind : k.anyInteger(), target.elements);
  k.store(memory, target.index, sum);
}

} // namespace kiln::differential::people
