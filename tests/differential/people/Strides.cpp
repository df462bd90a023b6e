// Loops that divide elements among work-items.
#include "tests/differential/people/Shapes.h"

namespace kiln::differential::people {
namespace {

/// for (i = start; i < end; i += stride) body(i). `start.low` and `end.high` bound i.
template <typename Body> void stride(Kernel &k, Bounded start, const Bounded &end, const Bounded &by, Body body) {
  const Kind kind = k.random.chance(60) && highest(start.kind()) >= end.high + by.high && start.low >= 0
                        ? start.kind()
                        : k.kindFor(0, end.high + by.high);
  const Wide low = start.low;
  k.loop(
      kind, std::move(start), low, end.high - 1,
      [&](const Bounded &i) { return binary(k.random.chance(90) ? Op::Less : Op::NotEqual, i, end)->expression; },
      [&](const Bounded &i) { return *binary(Op::Add, i, by); }, body);
}

void storeAt(Kernel &k, unsigned memory, Expression index) {
  const Kind kind = k.typeOf(memory).kind;
  auto store = [&] { k.store(memory, index, k.value(kind, 2)); };
  if (k.random.chance(35))
    k.branch(k.condition(2), store);
  else
    store();
}

} // namespace

/// for (i = gid; i < n; i += get_global_size(0)) out[i] = f(i);
void addGridStride(Kernel &k) {
  const Range &range = k.range();
  const bool isLine = range.dimensions == 1;
  const Bounded start = isLine ? k.globalId(0) : k.query(Query::GlobalLinearId);
  const Bounded by = isLine && k.random.chance(60) ? k.query(Query::GlobalSize) : k.amount(Wide(k.items()));
  const size_t count = k.items() * k.random.of(1, 2, 3) + k.random.below(50);
  const unsigned memory = k.output(k.anyKind(), count);
  stride(k, start, k.amount(Wide(count)), by, [&](const Bounded &i) { storeAt(k, memory, i.expression); });
}

/// m work-items share a row: for (i = gid % m; i < n; i += m) out[(gid / m) * n + i] = f(i); or a column, which starts
/// at gid / m.
void addSharedRows(Kernel &k) {
  const Bounded id = k.uniqueId();
  const auto last = size_t(id.high);
  const unsigned together = k.random.of(1, 2, 3, 4, 5, 7, 8, 10, 16, 32);
  const Bounded m = k.amount(together);
  const size_t n = k.random.of(together, 2 * together, 5u, 16u, 20u, 33u, 64u);
  Bounded rest = *binary(Op::Remainder, id, m), quotient = *binary(Op::Divide, id, m);
  if (k.random.chance(40))
    rest = k.declare(std::move(rest));
  if (k.random.chance(40))
    quotient = k.declare(std::move(quotient));
  if (k.random.chance(60)) {
    const Bounded length = k.amount(Wide(n));
    const unsigned memory = k.output(k.anyKind(), (last / together + 1) * n);
    stride(k, rest, length, m, [&](const Bounded &i) {
      storeAt(k, memory, binary(Op::Add, *binary(Op::Multiply, quotient, length), i)->expression);
    });
    return;
  }
  const size_t by = last / together + 1, count = by * k.random.of(1, 2, 3) + k.random.below(5);
  const unsigned memory = k.output(k.anyKind(), count * together);
  stride(k, quotient, k.amount(Wide(count)), k.amount(Wide(by)),
         [&](const Bounded &i) { storeAt(k, memory, binary(Op::Add, *binary(Op::Multiply, i, m), rest)->expression); });
}

/// for (i = gid * 4; i < min(gid * 4 + 4, n); ++i) out[i] = f(i);
void addBlock(Kernel &k) {
  const Bounded id = k.uniqueId();
  const unsigned size = k.random.of(1, 2, 3, 4, 7, 16);
  const Bounded per = k.amount(size);
  const size_t all = size_t(id.high + 1) * size, count = all - k.random.below(size + all / 4);
  const Bounded first = k.declare(*binary(Op::Multiply, id, per));
  std::optional<Bounded> end = binary(Op::Add, first, per);
  if (count < all)
    end = binary(Op::Min, std::move(*end), k.amount(Wide(count)));
  const unsigned memory = k.output(k.anyKind(), all);
  stride(k, first, k.random.chance(50) ? k.declare(std::move(*end)) : *end, constant(1),
         [&](const Bounded &i) { storeAt(k, memory, i.expression); });
}

/// for (i = lid; i < n; i += get_local_size(0)) out[group * n + i] = f(i);
void addGroupStride(Kernel &k) {
  if (!k.range().isLocalGiven)
    return addGridStride(k);
  const Bounded start = k.localLinearId(), by = k.groupSize(), group = k.groupNumber();
  const size_t count = k.random.of(16, 33, 64, 100, 128);
  const Bounded n = k.amount(Wide(count));
  const unsigned memory = k.output(k.anyKind(), k.groups() * count);
  stride(k, start, n, by, [&](const Bounded &i) {
    storeAt(k, memory, binary(Op::Add, *binary(Op::Multiply, group, n), i)->expression);
  });
}

} // namespace kiln::differential::people
