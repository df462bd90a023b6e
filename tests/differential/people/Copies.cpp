// Copies: within one buffer that is passed as two parameters, of short vectors, and of structs.
#include "tests/differential/people/Shapes.h"

namespace kiln::differential::people {
namespace {

/// A sum, product or bit operation of two vectors. It is defined for all operands.
Expression combined(Kernel &k, Expression a, Expression b) {
  const Kind kind = a.type.kind;
  const Op op = isFloat(kind)    ? k.random.of(Op::Add, Op::Subtract, Op::Multiply)
                : isSigned(kind) ? k.random.of(Op::And, Op::Xor, Op::Or)
                                 : k.random.of(Op::Add, Op::Subtract, Op::Xor, Op::Multiply);
  return elementwise(op, std::move(a), std::move(b));
}

} // namespace

/// One buffer is passed as two parameters: the kernel reads one half and writes the other.
void addSameBuffer(Kernel &k) {
  const Bounded number = k.uniqueId();
  const auto count = size_t(number.high + 1);
  const Kind kind = k.anyKind();
  const unsigned whole = k.structs({{kind, 1}}, 2 * count);
  const unsigned written = k.alias(whole, Memory::Space::Global);
  const bool isReadOnly = k.random.chance(50);
  const unsigned read = isReadOnly ? whole : k.alias(whole, Memory::Space::Global);
  const bool isForward = k.random.chance(50);
  auto half = [&](const Bounded &index, bool second) {
    return second ? *binary(Op::Add, index, k.amount(Wide(count))) : index;
  };
  Bounded from = number;
  if (k.random.chance(50)) // rotated, or any element of the half
    from = k.random.chance(50)
               ? *binary(Op::Remainder, *binary(Op::Add, number, k.amount(k.random.below(100))), k.amount(Wide(count)))
               : Bounded{k.index(k.number(2), count), 0, Wide(count) - 1};
  Bounded value = k.load(read, half(from, !isForward).expression);
  if (k.random.chance(40))
    if (std::optional<Bounded> more = binary(Op::Add, value, k.number(1));
        more && isFloat(more->kind()) == isFloat(kind))
      value = std::move(*more);
  const Expression to = half(number, isForward).expression;
  auto store = [&] { k.store(written, to, std::move(value)); };
  if (k.random.chance(40))
    k.branch(k.condition(2), store);
  else
    store();
}

/// out[i] = a[i] op a[j] of uchar4 or float4, with vector types or vload4 and vstore4; or out[i] = a sum of components.
void addVectors(Kernel &k) {
  const Kind kind = k.random.of(Kind::U8, Kind::F32, Kind::F32, Kind::I32, Kind::U32, Kind::I16, Kind::F64, Kind::U64);
  const Type type = {kind, k.random.of(2u, 4u, 4u, 4u, 8u)};
  const bool isOfScalars = k.random.chance(40);
  const size_t vectors = k.random.of(k.items(), size_t(64), size_t(100), size_t(1000));
  const size_t each = isOfScalars ? type.components : 1;
  const unsigned from = k.structs({isOfScalars ? Type{kind, 1} : type}, vectors * each);
  auto load = [&] { return k.loadVector(from, k.index(k.number(2), vectors), type); };
  Kernel::ElementIndex target = k.distinctIndex();
  if (k.random.chance(35)) { // a sum of components
    Bounded sum = constant(isFloat(kind) ? kind : Kind::I32, 0);
    const Expression vector = load();
    for (unsigned component = 0; component < std::min(type.components, 4u); ++component) {
      Expression read{.what = Expression::What::Component, .type = {kind, 1}, .value = {}, .number = component};
      read.operands.push_back(vector);
      const bool isNarrow = bytes(kind) < 4;
      Bounded x{std::move(read),
                isFloat(kind) ? -1000
                : isNarrow    ? lowest(kind)
                              : -1000,
                isFloat(kind) ? 1000
                : isNarrow    ? highest(kind)
                              : 1000};
      if (std::optional<Bounded> next = binary(Op::Add, sum, std::move(x)))
        sum = std::move(*next);
    }
    const unsigned memory = k.output(isFloat(kind) ? kind : k.anyInteger(), target.elements);
    return k.store(memory, target.index, std::move(sum));
  }
  Expression value = load();
  if (k.random.chance(60))
    value = combined(k, std::move(value), load());
  const unsigned memory = k.output(std::vector<Type>{isOfScalars ? Type{kind, 1} : type}, target.elements * each);
  auto store = [&] { k.storeVector(memory, target.index, std::move(value)); };
  if (k.random.chance(40))
    k.branch(k.condition(2), store);
  else
    store();
}

/// out[i].m1 = in[j].m0, or out[i] = in[j].m0.
void addStructs(Kernel &k) {
  std::vector<Type> members;
  for (unsigned i = k.random.of(2, 2, 3, 4); i--;)
    members.push_back({k.anyKind(), k.random.chance(15) ? 4u : 1u});
  members[0].components = 1;
  const size_t count = k.random.of(k.items(), size_t(64), size_t(1000));
  const unsigned from = k.structs(members, count);
  Kernel::ElementIndex target = k.distinctIndex();
  auto scalar = [&](Kind kind) {
    std::vector<unsigned> fitting;
    for (unsigned i = 0; i < members.size(); ++i)
      if (members[i].components == 1 && isFloat(members[i].kind) == isFloat(kind))
        fitting.push_back(i);
    if (fitting.empty() || k.random.chance(20))
      return k.value(kind, 1);
    return k.load(from, k.index(k.number(2), count), k.random.among(fitting));
  };
  if (k.random.chance(40)) {
    const unsigned memory = k.output(members[0].kind, target.elements);
    return k.store(memory, target.index, scalar(members[0].kind));
  }
  const unsigned memory = k.output(members, target.elements);
  for (unsigned i = 0; i < members.size(); ++i) {
    auto store = [&] {
      if (members[i].components > 1)
        k.storeVector(memory, target.index, k.loadVector(from, k.index(k.number(1), count), members[i], i), i);
      else
        k.store(memory, target.index, scalar(members[i].kind), i);
    };
    if (k.random.chance(30))
      k.branch(k.condition(1), store);
    else if (k.random.chance(90))
      store();
  }
}

} // namespace kiln::differential::people
