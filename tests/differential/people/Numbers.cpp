// Random expressions of ids, sizes and arguments, as people write them.
#include "tests/differential/people/Kernel.h"
#include <algorithm>

namespace kiln::differential::people {

Kind Kernel::anyInteger() {
  return random.of(Kind::I32, Kind::I32, Kind::I32, Kind::I32, Kind::I32, Kind::U32, Kind::U32, Kind::U32, Kind::U32,
                   Kind::U64, Kind::U64, Kind::U64, Kind::U64, Kind::I64, Kind::I64, Kind::U16, Kind::I16, Kind::U8,
                   Kind::U8, Kind::I8);
}

Kind Kernel::kindFor(Wide low, Wide high) {
  for (;;)
    if (const Kind kind = anyInteger(); low >= lowest(kind) && high <= highest(kind))
      return kind;
}

Bounded Kernel::amount(Wide value) {
  if (random.chance(50) && value >= 0)
    return argument(value);
  const Kind kind = kindFor(value, value);
  return bytes(kind) < 4 || random.chance(50) ? constant(value) : constant(kind, value);
}

/// A positive number.
Bounded Kernel::divisor() {
  if (range().isLocalGiven && random.chance(10))
    return query(random.chance(50) ? Query::LocalSize : Query::NumGroups);
  if (random.chance(5))
    return query(Query::GlobalSize);
  return amount(random.of(1, 2, 2, 3, 3, 4, 5, 7, 8, 10, 16, 16, 32, 64, 100));
}

Bounded Kernel::leaf() {
  if (random.chance(80))
    return random.among(numbers_);
  if (random.chance(40))
    return amount(random.of(0, 1, 2, 3, 5, 7, 16, 100));
  const unsigned d = random.below(range().dimensions);
  const Query always[] = {Query::GlobalId, Query::GlobalId, Query::GlobalSize, Query::GlobalOffset};
  const Query ofGroups[] = {Query::LocalId, Query::LocalId,   Query::LocalId,
                            Query::GroupId, Query::LocalSize, Query::NumGroups};
  return query(range().isLocalGiven && random.chance(70) ? random.among(ofGroups) : random.among(always), d);
}

/// An integer expression. Its bounds exclude undefined behaviour. Small values are preferred to values that may wrap.
Bounded Kernel::number(unsigned depth) {
  if (depth == 0 || random.chance(15))
    return leaf();
  for (unsigned attempt = 0; attempt < 6; ++attempt) {
    std::optional<Bounded> made = compound(depth - 1);
    if (made && (made->isWithin(-(1 << 24), 1 << 24) || random.chance(10)))
      return std::move(*made);
  }
  return leaf();
}

std::optional<Bounded> Kernel::compound(unsigned depth) {
  switch (random.below(19)) {
  case 0:
  case 1:
  case 2:
    return binary(Op::Divide, number(depth), divisor());
  case 3:
  case 4:
  case 5:
    return binary(Op::Remainder, number(depth), divisor());
  case 6:
  case 7:
    return binary(Op::And, number(depth), amount(random.of(1, 3, 7, 15, 15, 31, 63, 255, 5, 0x1f0)));
  case 8:
  case 9:
    return binary(Op::Add, number(depth), random.chance(50) ? number(depth) : amount(random.of(1, 1, 2, 3, 16, 100)));
  case 10:
    return binary(Op::Subtract, number(depth), random.chance(40) ? number(depth) : amount(random.of(1, 1, 2, 7, 16)));
  case 11:
    return binary(Op::Multiply, number(depth), amount(random.of(2, 3, 4, 5, 7, 16)));
  case 12:
    return binary(Op::ShiftRight, number(depth), amount(random.of(1, 1, 2, 3, 4, 5)));
  case 13:
    if (random.chance(30)) // 1 << (x % 8)
      return binary(Op::ShiftLeft, constant(kindFor(1, 1), 1), *binary(Op::And, number(depth), constant(7)));
    return binary(Op::ShiftLeft, number(depth), amount(random.of(1, 2, 3, 4)));
  case 14:
    return binary(random.chance(50) ? Op::Min : Op::Max, number(depth), limit(leaf()));
  case 15:
    if (random.chance(50))
      return absolute(number(depth));
    return clamp(number(depth), amount(random.of(0, 1, 2)), amount(random.of(7, 15, 63, 100)));
  case 16:
    return binary(random.of(Op::Xor, Op::Or), number(depth), amount(random.of(1, 3, 4, 8, 15)));
  case 17:
    return cast(number(depth), anyInteger());
  default:
    return random.chance(60) ? conditional(condition(depth), number(depth), number(depth))
                             : selected(number(depth), number(depth), condition(depth));
  }
}

/// A number for a comparison with `number`.
Bounded Kernel::limit(const Bounded &number) {
  const Wide low = std::max<Wide>(number.low, -200), high = std::min<Wide>(number.high, 1 << 20);
  return amount(low < high ? low + Wide(random.below(uint64_t(std::min<Wide>(high - low, 3000)) + 1)) : low);
}

Expression Kernel::condition(unsigned depth) {
  static constexpr Op Comparisons[] = {Op::Less,         Op::Less,         Op::Less,  Op::LessEqual, Op::Greater,
                                       Op::GreaterEqual, Op::GreaterEqual, Op::Equal, Op::NotEqual};
  const unsigned below = depth ? depth - 1 : 0;
  switch (random.below(14)) {
  case 0:
  case 1:
  case 2: { // x % d == r
    const Bounded by = divisor();
    Bounded rest = *binary(Op::Remainder, number(below), by);
    Bounded with = random.chance(60) ? constant(0) : amount(Wide(random.below(uint64_t(by.high))));
    return binary(random.of(Op::Equal, Op::Equal, Op::NotEqual, Op::Less), std::move(rest), std::move(with))
        ->expression;
  }
  case 3:
  case 4: { // x / d < c
    Bounded quotient = *binary(Op::Divide, number(below), divisor());
    const Bounded with = limit(quotient);
    return binary(random.among(Comparisons), std::move(quotient), with)->expression;
  }
  case 5: { // x & m
    Bounded masked = *binary(Op::And, number(below), amount(random.of(1, 1, 2, 3, 7, 16)));
    return random.chance(50) ? masked.expression
                             : binary(random.of(Op::Equal, Op::NotEqual), std::move(masked), constant(0))->expression;
  }
  case 6:
  case 7:
    if (depth)
      return logical(random.of(Expression::What::AndThen, Expression::What::OrElse), condition(below),
                     condition(below));
    break;
  case 8:
    if (depth)
      return negation(condition(below));
    break;
  case 9: { // a comparison of loaded data
    Bounded data = value(random.chance(50) ? Kind::F32 : Kind::I32, below);
    Bounded with = isFloat(data.kind()) ? constant(Kind::F32, Wide(random.below(40)) - 20) : limit(data);
    return binary(random.among(Comparisons), std::move(data), std::move(with))->expression;
  }
  case 10: // a <= x && x < b
    if (const Bounded x = number(below); depth)
      return logical(Expression::What::AndThen, binary(Op::GreaterEqual, x, limit(x))->expression,
                     binary(Op::Less, x, limit(x))->expression);
    break;
  case 11:
    return binary(random.among(Comparisons), number(below), number(below))->expression;
  default:
    break;
  }
  Bounded x = number(depth);
  const Bounded with = limit(x);
  return binary(random.among(Comparisons), std::move(x), with)->expression;
}

Expression Kernel::index(Bounded number, size_t elements) {
  const Wide last = Wide(elements) - 1;
  if (number.isWithin(0, last) && random.chance(85))
    return std::move(number.expression);
  std::optional<Bounded> made;
  switch (random.below(5)) {
  case 0:
    made = binary(Op::Remainder, number, amount(last + 1));
    break;
  case 1:
    if ((elements & (elements - 1)) == 0)
      made = binary(Op::And, number, amount(last));
    break;
  case 2:
    made = clamp(number, constant(0), amount(last));
    break;
  case 3:
    made = binary(Op::Min, number, amount(last));
    break;
  default: // x < 0 ? 0 : x < n ? x : n - 1
    made = conditional(logical(Expression::What::AndThen, binary(Op::GreaterEqual, number, constant(0))->expression,
                               binary(Op::LessEqual, number, amount(last))->expression),
                       number, amount(Wide(random.below(elements))));
    made->low = std::max<Wide>(made->low, 0), made->high = std::min(made->high, last);
    break;
  }
  if (made && made->isWithin(0, last))
    return std::move(made->expression);
  // abs(x) % elements is always in range.
  Bounded positive = number.low < 0 ? absolute(std::move(number)) : std::move(number);
  return binary(Op::Remainder, std::move(positive), amount(last + 1))->expression;
}

Bounded Kernel::value(Kind kind, unsigned depth) {
  const bool needsFloat = isFloat(kind);
  auto loaded = [&](bool isOfFloats) {
    const unsigned memory = anyInput(isOfFloats);
    return load(memory, index(number(std::min(depth, 2u)), elements(memory)));
  };
  auto fitting = [&](Bounded made) { // converts a float to `kind` if all its values fit
    if (needsFloat || !isFloat(made.kind()))
      return made;
    return made.isWithin(lowest(kind) + 1, highest(kind) - 1) ? cast(std::move(made), kind) : loaded(false);
  };
  if (depth == 0)
    return random.chance(50)                 ? loaded(needsFloat)
           : needsFloat && random.chance(30) ? constant(kind, random.below(9))
                                             : leaf();
  std::optional<Bounded> made;
  switch (random.below(12)) {
  case 0:
  case 1:
    return loaded(needsFloat);
  case 2:
  case 3:
  case 4: // (float)(i & 15)
    return needsFloat && random.chance(60) ? cast(number(depth), kind) : number(depth);
  case 5:
    return fitting(conditional(condition(depth - 1), value(kind, depth - 1), value(kind, depth - 1)));
  case 6:
    return fitting(loaded(!needsFloat));
  case 7:
    if (needsFloat)
      made = binary(Op::Divide, value(kind, depth - 1), constant(kind, random.of(2, 3, 4, 7, 100)));
    else
      return selected(number(depth - 1), number(depth - 1), condition(depth - 1));
    break;
  case 8:
    if (random.chance(50))
      made = negated(value(kind, depth - 1));
    else
      made = cast(number(depth), random.of(Kind::F32, Kind::F64, kind, kind));
    break;
  default:
    made =
        binary(random.of(Op::Add, Op::Add, Op::Subtract, Op::Multiply), value(kind, depth - 1), value(kind, depth - 1));
    break;
  }
  return made ? fitting(std::move(*made)) : loaded(needsFloat);
}

} // namespace kiln::differential::people
