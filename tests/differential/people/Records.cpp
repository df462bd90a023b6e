// One row of a few adjacent elements per work-item, read and written through one or two pointers.
#include "tests/differential/people/Shapes.h"

namespace kiln::differential::people {

/// to[8 * i + 1] = from[8 * i] * 3 + 1; to[8 * i + 2] = from[8 * i + 1] + from[8 * i]; `to` and `from` may be one
/// buffer.
void addRecords(Kernel &k) {
  const Bounded number = k.uniqueId();
  const auto count = size_t(number.high + 1);
  const unsigned width = k.random.of(2, 4, 4, 4, 8, 8);
  const Kind kind = k.random.of(Kind::U32, Kind::U32, Kind::U64, Kind::U16, Kind::F32);
  const unsigned whole = k.structs({{kind, 1}}, count * width);
  const unsigned to = k.alias(whole, Memory::Space::Global);
  const unsigned from = k.random.chance(50) ? to : k.alias(whole, Memory::Space::Global);
  const Bounded start = k.declare(*binary(Op::Multiply, number, constant(width)));
  auto field = [&](unsigned at) { return binary(Op::Add, start, constant(at))->expression; };
  auto any = [&] { return field(k.random.below(width)); };
  auto store = [&](unsigned at) {
    std::optional<Bounded> value = k.load(from, any());
    if (k.random.chance(70))
      value = binary(Op::Add, *value, k.random.chance(50) ? k.load(from, any()) : constant(kind, 3));
    if (value)
      k.store(to, field(at), cast(std::move(*value), kind));
  };
  if (k.random.chance(60)) // each element, in order
    for (unsigned at = 0; at < width; ++at)
      store(at);
  else
    for (unsigned stores = k.random.of(2, 3, 4, 5); stores--;)
      store(k.random.below(width));
}

} // namespace kiln::differential::people
