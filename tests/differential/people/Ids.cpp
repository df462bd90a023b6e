// NDRanges, work-item ids in every type, and indices that are different in each work-item.
#include "tests/differential/people/Kernel.h"

namespace kiln::differential::people {

void Kernel::chooseRange() {
  using Sizes = std::array<size_t, 3>;
  static constexpr auto Lines = std::to_array<size_t>(
      {1, 2, 3, 5, 7, 8, 16, 17, 32, 33, 64, 64, 64, 96, 99, 100, 128, 128, 250, 256, 1000, 1024});
  static constexpr auto Planes = std::to_array<Sizes>({{8, 8, 1},
                                                       {16, 16, 1},
                                                       {7, 5, 1},
                                                       {32, 4, 1},
                                                       {33, 3, 1},
                                                       {1, 16, 1},
                                                       {16, 1, 1},
                                                       {5, 7, 1},
                                                       {4, 4, 1},
                                                       {100, 2, 1},
                                                       {13, 1, 1},
                                                       {32, 8, 1},
                                                       {3, 40, 1},
                                                       {64, 1, 1}});
  static constexpr auto Boxes =
      std::to_array<Sizes>({{4, 4, 4}, {2, 3, 5}, {8, 2, 2}, {1, 1, 8}, {7, 1, 3}, {5, 5, 2}, {16, 2, 1}, {32, 1, 2}});
  Range &range = program_.range;
  range.dimensions = random.of(1, 1, 1, 1, 1, 2, 2, 2, 3);
  range.isLocalGiven = random.chance(88);
  range.local = range.dimensions == 1   ? Sizes{random.among(Lines), 1, 1}
                : range.dimensions == 2 ? random.among(Planes)
                                        : random.among(Boxes);
  const bool isUniform = random.chance(60), hasOffset = random.chance(25);
  for (unsigned d = 0; d < range.dimensions; ++d) {
    const size_t most = range.dimensions == 1 ? (range.local[0] > 128 ? 3 : 8) : range.dimensions == 2 ? 4 : 3;
    range.global[d] = range.local[d] * (1 + random.below(most));
    if (!isUniform)
      range.global[d] -= random.below(range.local[d]);
    if (hasOffset)
      range.offset[d] = range.dimensions == 1 ? random.of(1, 3, 16, 100, 1000) : random.of(0, 1, 3, 8);
  }
  if (random.chance(15)) // ids on both sides of 2^31 or 2^32
    range.offset[0] = (size_t(1) << random.of(31, 32)) - random.below(range.global[0] + 1);
}

Bounded Kernel::query(Query query, unsigned d) {
  const Range &r = range();
  const Wide global = Wide(r.global[d]), local = Wide(r.local[d]), offset = Wide(r.offset[d]);
  const Wide last = global % local ? global % local : local;
  Wide low = 0, high = 0;
  switch (query) {
  case Query::GlobalId:
    low = offset, high = offset + global - 1;
    break;
  case Query::LocalId:
    high = std::min(global, local) - 1;
    break;
  case Query::GroupId:
    high = Wide(r.groups()[d]) - 1;
    break;
  case Query::GlobalSize:
    low = high = global;
    break;
  case Query::LocalSize:
    low = last, high = std::min(global, local);
    break;
  case Query::EnqueuedLocalSize:
    low = high = local;
    break;
  case Query::NumGroups:
    low = high = Wide(r.groups()[d]);
    break;
  case Query::GlobalOffset:
    low = high = offset;
    break;
  case Query::GlobalLinearId:
    high = Wide(items()) - 1;
    break;
  case Query::LocalLinearId:
    high = Wide(groupItems()) - 1;
    break;
  }
  Bounded result{{.what = Expression::What::WorkItem, .type = {Kind::U64, 1}}, low, high};
  result.expression.number = unsigned(query) * 3 + d;
  return result;
}

/// A variable with the id, of a type that can represent it.
Bounded Kernel::exactId(Query id, unsigned d) {
  const Bounded whole = query(id, d);
  const Kind kind = kindFor(whole.low, whole.high);
  return declare(kind, random.chance(20) ? cast(whole, kind) : whole);
}

void Kernel::declareIds() {
  for (unsigned d = 0; d < range().dimensions; ++d) {
    globalIds_[d].push_back(exactId(Query::GlobalId, d));
    addNumber(globalIds_[d].back(), 2);
    if (random.chance(20))
      globalIds_[d].push_back(exactId(Query::GlobalId, d));
    if (range().isLocalGiven && random.chance(60))
      localIds_[d].push_back(exactId(Query::LocalId, d));
  }
  if (random.chance(25)) // of any integer type, so the id may be truncated
    declare(anyInteger(), query(Query::GlobalId, random.below(range().dimensions)));
  if (range().isLocalGiven && random.chance(35))
    exactId(random.of(Query::GroupId, Query::GroupId, Query::LocalSize, Query::NumGroups),
            random.below(range().dimensions));
  if (random.chance(25))
    exactId(Query::GlobalSize, random.below(range().dimensions));
}

Bounded Kernel::localId(unsigned d) {
  return localIds_[d].empty() ? query(Query::LocalId, d) : random.among(localIds_[d]);
}

Bounded Kernel::localLinearId() {
  if (range().dimensions == 1)
    return random.chance(85) ? localId(0) : query(Query::LocalLinearId);
  if (random.chance(30))
    return declare(query(Query::LocalLinearId));
  Bounded result = localId(range().dimensions - 1);
  for (unsigned d = range().dimensions - 1; d--;)
    result = *binary(Op::Add, *binary(Op::Multiply, std::move(result), query(Query::LocalSize, d)), localId(d));
  result.high = Wide(groupItems()) - 1;
  return declare(std::move(result));
}
Bounded Kernel::groupSize() {
  Bounded result = query(Query::LocalSize, 0);
  if (range().dimensions == 1 && random.chance(50))
    return result;
  for (unsigned d = 1; d < range().dimensions; ++d)
    result = *binary(Op::Multiply, std::move(result), query(Query::LocalSize, d));
  return declare(std::move(result));
}
Bounded Kernel::groupNumber() {
  Bounded result = query(Query::GroupId, range().dimensions - 1);
  for (unsigned d = range().dimensions - 1; d--;)
    result = *binary(Op::Add, *binary(Op::Multiply, std::move(result), query(Query::NumGroups, d)),
                     query(Query::GroupId, d));
  result.high = Wide(groups()) - 1;
  return random.chance(50) ? declare(std::move(result)) : result;
}

Bounded Kernel::uniqueId() {
  const Range &r = range();
  if (random.chance(8))
    return query(Query::GlobalLinearId);
  auto position = [&](unsigned d) { // returns a position in dimension d, and the number of positions
    const Wide size = Wide(r.global[d]), offset = Wide(r.offset[d]);
    Bounded id = globalId(d);
    Wide extent = size + offset;
    if (r.isLocalGiven && random.chance(15)) {
      id = *binary(Op::Add, *binary(Op::Multiply, query(Query::GroupId, d), query(Query::EnqueuedLocalSize, d)),
                   localId(d));
      id.high = size - 1, extent = size;
    } else if (offset && (hasFarIds() || random.chance(40))) {
      if (std::optional<Bounded> difference =
              binary(Op::Subtract, id, random.chance(50) ? query(Query::GlobalOffset, d) : amount(offset))) {
        id = std::move(*difference);
        id.low = 0, id.high = size - 1, extent = size;
      }
    }
    return std::pair(id, extent);
  };
  auto [result, extent] = position(r.dimensions - 1);
  for (unsigned d = r.dimensions - 1; d--;) {
    auto [id, width] = position(d);
    Bounded size = width == Wide(r.global[d]) && random.chance(40) ? query(Query::GlobalSize, d) : amount(width);
    std::optional<Bounded> product = random.chance(10) ? binary(Op::Mul24, result, size) : std::nullopt;
    if (!product)
      product = binary(Op::Multiply, std::move(result), std::move(size));
    std::optional<Bounded> sum = binary(Op::Add, std::move(*product), std::move(id));
    result = std::move(*sum);
  }
  return random.chance(50) ? declare(std::move(result)) : result;
}

Kernel::ElementIndex Kernel::distinctIndex() {
  Bounded number = uniqueId();
  const auto count = size_t(number.high + 1);
  return distinctIndex(std::move(number), count);
}

Kernel::ElementIndex Kernel::distinctIndex(Bounded number, size_t count) {
  const Wide last = Wide(count) - 1;
  std::optional<Bounded> moved;
  size_t size = count;
  switch (random.below(12)) {
  case 0: // reversed
    moved = binary(Op::Subtract, amount(last), number);
    break;
  case 1:
  case 2: { // with gaps
    const unsigned stride = random.of(2, 3, 4, 5, 16), first = random.below(stride);
    moved = binary(Op::Multiply, number, amount(stride));
    if (moved && first)
      moved = binary(Op::Add, std::move(*moved), amount(first));
    size = count * stride;
    break;
  }
  case 3: // rotated
    moved = binary(Op::Add, number, amount(random.below(count + 10)));
    moved = moved ? binary(Op::Remainder, std::move(*moved), amount(Wide(count))) : moved;
    break;
  case 4:
  case 5: { // transposed
    const unsigned width = random.of(2, 3, 5, 7, 8, 16, 16, 100);
    const size_t height = (count + width - 1) / width;
    const Bounded w = amount(width);
    std::optional<Bounded> x = binary(Op::Remainder, number, w), y = binary(Op::Divide, number, w);
    moved = binary(Op::Multiply, std::move(*x), amount(Wide(height)));
    moved = moved ? binary(Op::Add, std::move(*moved), std::move(*y)) : moved;
    size = height * width;
    break;
  }
  case 6: // permuted within blocks
    moved = binary(Op::Xor, number, amount(random.of(1, 2, 3, 7, 15)));
    size = (count + 15) / 16 * 16;
    break;
  default:
    break;
  }
  if (!moved)
    return {std::move(number.expression), count};
  return {std::move(moved->expression), size};
}

} // namespace kiln::differential::people
