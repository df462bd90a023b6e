// Histograms by atomic operations, in global and in local memory.
#include "tests/differential/people/Shapes.h"

namespace kiln::differential::people {
namespace {

/// Updates a bin: atomic_add of 1, or another atomic operation.
void update(Kernel &k, unsigned memory, size_t bins) {
  auto change = [&] {
    Expression bin = k.index(k.value(Kind::I32, 1), bins);
    const unsigned operation = k.random.of(0, 0, 0, 1, 2, 5);
    k.atomic(operation, memory, std::move(bin), k.random.chance(60) ? constant(1) : k.number(1));
  };
  if (k.random.chance(50))
    k.branch(k.condition(2), change);
  else
    change();
}

} // namespace

/// atomic_add(&bins[x % n], 1);
void addHistogram(Kernel &k) {
  const size_t bins = k.random.of(1, 2, 7, 16, 100, 256);
  update(k, k.output(Kind::U32, bins), bins);
}

/// A histogram per work-group in local memory, with barriers between clearing, counting and storing.
void addGroupHistogram(Kernel &k) {
  const Bounded id = k.localLinearId(), size = k.groupSize(), group = k.groupNumber();
  const size_t bins = k.random.of(1, 7, 16, 32, 100);
  const Bounded n = k.amount(Wide(bins));
  const unsigned tile = k.local(Kind::U32, bins, 0, highest(Kind::U32));
  auto forOwnBins = [&](auto body) {
    k.loop(
        k.kindFor(0, Wide(bins) + size.high), id, 0, Wide(bins) - 1,
        [&](const Bounded &b) { return binary(Op::Less, b, n)->expression; },
        [&](const Bounded &b) { return *binary(Op::Add, b, size); }, body);
  };
  forOwnBins([&](const Bounded &b) { k.store(tile, b.expression, constant(0)); });
  k.barrier();
  update(k, tile, bins);
  k.barrier();
  const unsigned memory = k.output(Kind::U32, k.groups() * bins);
  forOwnBins([&](const Bounded &b) {
    k.store(memory, binary(Op::Add, *binary(Op::Multiply, group, n), b)->expression, k.load(tile, b.expression));
  });
}

} // namespace kiln::differential::people
