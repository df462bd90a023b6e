// Stores in nested conditions; each work-item stores to different elements.
#include "tests/differential/people/Shapes.h"

namespace kiln::differential::people {
namespace {

/// Stores one of several values in nested conditions.
void storeChosen(Kernel &k, unsigned memory, const Expression &index, unsigned depth) {
  const Kind kind = k.typeOf(memory).kind;
  auto store = [&] { k.store(memory, index, k.value(kind, 2)); };
  if (depth == 0 || k.random.chance(30))
    return store();
  auto deeper = [&] { storeChosen(k, memory, index, depth - 1); };
  if (k.random.chance(50))
    k.branch(k.condition(2), deeper);
  else
    k.branch(k.condition(2), deeper, [&] { storeChosen(k, memory, index, depth - 1); });
}

/// x = a; if (c) x = b; [else if (d) x += e;] o[i] = x;
void storeVariable(Kernel &k, unsigned memory, const Expression &index) {
  const Kind kind = k.random.chance(70) ? k.typeOf(memory).kind : k.anyInteger();
  const bool isOfFloats = isFloat(kind);
  Bounded start = k.value(isOfFloats ? kind : Kind::I32, 1);
  if (!isOfFloats && isFloat(start.kind()))
    start = constant(0);
  const Wide low = isOfFloats ? -(Wide(1) << 40) : lowest(kind), high = isOfFloats ? Wide(1) << 40 : highest(kind);
  const Bounded x = k.declareMutable(kind, std::move(start), low, high);
  auto change = [&] {
    std::optional<Bounded> sum =
        k.random.chance(50) ? binary(k.random.of(Op::Add, Op::Subtract), x, k.value(kind, 1)) : std::nullopt;
    if (sum && (isOfFloats || !isFloat(sum->kind())))
      k.assign(x, std::move(*sum));
    else
      k.assign(x, isOfFloats ? k.value(kind, 2) : k.number(2));
  };
  k.branch(k.condition(2), change, [&] {
    if (k.random.chance(40))
      k.branch(k.condition(1), change);
  });
  if (k.random.chance(30))
    k.branch(k.condition(1), change);
  Bounded result = x;
  if (isOfFloats && !isFloat(k.typeOf(memory).kind))
    result = cast(std::move(result), k.typeOf(memory).kind);
  k.store(memory, index, std::move(result));
}

} // namespace

void addStores(Kernel &k) {
  for (unsigned count = k.random.of(1, 1, 2, 3); count--;) {
    Kernel::ElementIndex target = k.distinctIndex();
    const unsigned memory = k.output(k.anyKind(), target.elements);
    if (k.random.chance(35))
      storeVariable(k, memory, target.index);
    else
      storeChosen(k, memory, target.index, k.random.of(0, 1, 1, 2));
  }
}

} // namespace kiln::differential::people
