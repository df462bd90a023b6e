// Numbers that wrap around between work-items, and conditions on the first work-items of a group.
#include "tests/differential/people/Shapes.h"

namespace kiln::differential::people {
namespace {

/// An unsigned number that wraps around between work-items: gid - 2, gid * 37, gid + (UINT_MAX - 9).
Bounded wrapped(Kernel &k) {
  const Kind kind = k.random.of(Kind::U32, Kind::U32, Kind::U32, Kind::U64, Kind::U16, Kind::U8, Kind::U8);
  const Bounded id = cast(k.globalId(0), kind);
  std::optional<Bounded> x;
  switch (k.random.below(4)) {
  case 0:
  case 1:
    x = binary(Op::Subtract, id, k.amount(k.random.of(1, 1, 2, 3, 7, 16, 40)));
    break;
  case 2:
    x = binary(Op::Multiply, id, constant(kind, k.random.of(37, 101, 250)));
    break;
  default:
    x = binary(Op::Add, id, constant(kind, highest(kind) - Wide(k.random.below(60))));
  }
  return k.declare(kind, cast(x ? std::move(*x) : id, kind));
}

} // namespace

/// uint x = gid - 2; if (x < n) out[i] = in[x % m];
void addWrapped(Kernel &k) {
  const Bounded x = wrapped(k);
  Kernel::ElementIndex target = k.distinctIndex();
  const Kind kind = k.anyKind();
  const unsigned memory = k.output(kind, target.elements);
  if (x.kind() == Kind::U8 && k.random.chance(70)) { // a uchar index wraps around within 256 elements
    const unsigned from = k.structs({{kind, 1}}, 256);
    return k.store(memory, target.index, k.load(from, x.expression));
  }
  auto store = [&] {
    if (k.random.chance(50))
      return k.store(memory, target.index, k.value(kind, 1));
    const size_t count = k.random.of(size_t(16), size_t(100), size_t(256), size_t(1000));
    const unsigned from = k.structs({{kind, 1}}, count);
    k.store(memory, target.index, k.load(from, k.index(x, count)));
  };
  if (k.random.chance(15))
    return store();
  const Op op = k.random.of(Op::Less, Op::Less, Op::LessEqual, Op::Greater, Op::GreaterEqual);
  k.branch(binary(op, x, k.amount(k.random.of(1, 5, 16, 50, 100, 200)))->expression, store);
}

/// int i = gid - n; if (i >= t) out[i] = (long)(i + c); else ...; i + c would overflow in work-items that skip it.
void addGuardedOverflow(Kernel &k) {
  const Bounded whole = k.query(Query::GlobalId);
  if (!whole.isWithin(0, highest(Kind::I32) - 1))
    return addWrapped(k);
  const Bounded own = k.declare(Kind::I32, whole);
  const Bounded count = cast(k.argument(whole.high + 1), Kind::I32);
  Bounded id = k.declare(Kind::I32, *binary(Op::Subtract, own, count));
  const Wide first = id.low + Wide(k.random.below(uint64_t(whole.high - whole.low + 1)));
  Kernel::ElementIndex target = k.distinctIndex();
  const Kind kind = k.random.of(Kind::I64, Kind::I64, Kind::U64, Kind::F64);
  const unsigned memory = k.output(kind, target.elements);
  const Expression isLater = binary(Op::GreaterEqual, id, k.amount(first))->expression;
  id.low = first, id.high = std::max(id.high, first);
  const Bounded sum = *binary(Op::Add, id, constant(Kind::I32, lowest(Kind::I32) - first));
  k.branch(
      isLater, [&] { k.store(memory, target.index, cast(sum, kind)); },
      [&] { k.store(memory, target.index, k.value(kind, 1)); });
}

/// if (get_local_id(0) < 20) out[i] = value; needs a given local size, else the result would depend on the runtime.
void addFirstItems(Kernel &k) {
  if (!k.range().isLocalGiven)
    return addWrapped(k);
  Kernel::ElementIndex target = k.distinctIndex();
  const Kind kind = k.anyKind();
  const unsigned memory = k.output(kind, target.elements);
  const Op op = k.random.of(Op::Less, Op::Less, Op::LessEqual, Op::GreaterEqual, Op::Greater);
  k.branch(binary(op, k.localId(0), constant(k.random.of(1, 3, 5, 8, 12, 16, 20, 30, 61)))->expression,
           [&] { k.store(memory, target.index, k.value(kind, 2)); });
}

} // namespace kiln::differential::people
