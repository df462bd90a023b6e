// Conditions that need no vector: where a number rises from lane to lane, its first and its last lane answer for all.
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Matchers.h"
#include "passes/analysis/Conjuncts.h"
#include "passes/simd/Widener.h"

using namespace mlir;

namespace kiln {

std::optional<Widener::Answer> Widener::answer(Value condition) {
  std::optional<Answer> joint;
  auto both = [&](Value x, Value y) { return x && y ? arith::AndIOp::create(b, loc, x, y).getResult() : Value(); };
  for (Value side : conjuncts(condition)) {
    std::optional<Answer> own = Answer{};
    if (shape(side).isUniform())
      own = Answer{first(side), first(side), first(side), true};
    else if (auto comparison = side.getDefiningOp<arith::CmpIOp>())
      own = answerComparison(comparison);
    if (!own || !own->all)
      return {};
    if (!joint) {
      joint = own;
      continue;
    }
    joint->all = both(joint->all, own->all);
    joint->more = joint->more && own->more ? both(joint->more, own->more) : joint->more ? joint->more : own->more;
    joint->isPrefix &= own->isPrefix;
    joint->any = joint->isPrefix ? both(joint->any, own->any) : Value(); // some lane says yes to both: the first one
  }
  if (joint && checksAssumptions_)
    expectAnswer(condition, *joint);
  return joint;
}

// Does an order of the lanes allow an answer at all.
bool Widener::hasAnswer(Value condition) const {
  return llvm::all_of(conjuncts(condition), [&](Value side) {
    auto comparison = side.getDefiningOp<arith::CmpIOp>();
    return shape(side).isUniform() || (comparison && hasAnswer(comparison));
  });
}

bool Widener::hasAnswer(arith::CmpIOp comparison) const {
  if (comparison.getPredicate() == arith::CmpIPredicate::eq || comparison.getPredicate() == arith::CmpIPredicate::ne)
    return false;
  // And not so fast that a narrow number comes round, and past where it was, on the way to the last lane.
  auto rises = [&](Value value) {
    const std::optional<Rise> rise = knownRise(shape(value));
    auto type = dyn_cast<IntegerType>(value.getType());
    return type && rise && rise->stride > 0 &&
           uint64_t(rise->stride) * (lanes_ - 1) <= llvm::maxUIntN(std::min(type.getWidth(), 64u));
  };
  Value left = comparison.getLhs(), right = comparison.getRhs();
  return (rises(left) && shape(right).isUniform()) || (rises(right) && shape(left).isUniform());
}

std::optional<Widener::Answer> Widener::answerComparison(arith::CmpIOp op) {
  using Predicate = arith::CmpIPredicate;
  if (!hasAnswer(op) && op.getPredicate() != Predicate::eq)
    return {};
  Value left = op.getLhs(), right = op.getRhs();
  Predicate predicate = op.getPredicate();
  if (shape(left).isUniform()) {
    std::swap(left, right);
    constexpr Predicate swapped[] = {Predicate::eq,  Predicate::ne,  Predicate::sgt, Predicate::sge, Predicate::slt,
                                     Predicate::sle, Predicate::ugt, Predicate::uge, Predicate::ult, Predicate::ule};
    predicate = swapped[unsigned(predicate)];
  }
  const std::optional<Rise> rising = knownRise(shape(left));
  if (!rising || rising->stride <= 0 || !shape(right).isUniform())
    return {};
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(left.getType(), value)).getResult();
  };
  auto holds = [&](Value lane) { return arith::CmpIOp::create(b, loc, predicate, lane, first(right)).getResult(); };
  const int64_t span = rising->stride * int64_t(lanes_ - 1);
  auto last = [&] { return arith::AddIOp::create(b, loc, first(left), number(span)).getResult(); };
  // Of numbers that may wrap around between two lanes only this is known: they do not if the last is above the first.
  auto ifInOrder = [&](Predicate order, Value all) {
    if (isSkipped(Assumption::LaneOrder))
      return Answer{all};
    Value inOrder = arith::CmpIOp::create(b, loc, order, first(left), last());
    return Answer{arith::AndIOp::create(b, loc, all, inOrder).getResult()};
  };
  // Guards are checked for one vector: the next one's numbers may have wrapped around to where the condition holds.
  const bool endsRow = shape(left).isStridedAlways();
  auto prefix = [&](Value firstLane, Value lastLane) {
    return Answer{lastLane, firstLane, endsRow ? firstLane : Value(), true};
  };
  // Vectors start at multiples of their length: where the limit is one, too, no vector has lanes of both kinds.
  if (APInt limit; matchPattern(left, m_Op<ocl::QueryOp>()) && matchPattern(right, m_ConstantInt(&limit)) &&
                   left.getDefiningOp<ocl::QueryOp>().getKind() == ocl::Query::local_id &&
                   (limit.urem(lanes_) == 0 || isSkipped(Assumption::WholeVectors))) {
    if (predicate == Predicate::ult || predicate == Predicate::slt)
      return prefix(holds(first(left)), holds(first(left)));
    if (predicate == Predicate::uge || predicate == Predicate::sge)
      return Answer{holds(first(left)), holds(first(left))};
  }
  switch (predicate) {
  case Predicate::eq: {
    if (rising->stride != 1)
      return {};
    Value distance = arith::SubIOp::create(b, loc, first(right), first(left));
    Value any = arith::CmpIOp::create(b, loc, Predicate::ule, distance, number(span));
    return Answer{arith::ConstantIntOp::create(b, loc, 0, 1), any};
  }
  case Predicate::slt:
  case Predicate::sle:
    if (!rising->noSignedWrap)
      return ifInOrder(Predicate::sle, holds(last()));
    return prefix(holds(first(left)), holds(last()));
  case Predicate::ult:
  case Predicate::ule:
    if (!rising->noUnsignedWrap)
      return ifInOrder(Predicate::ule, holds(last()));
    return prefix(holds(first(left)), holds(last()));
  case Predicate::sgt:
  case Predicate::sge:
    if (!rising->noSignedWrap)
      return ifInOrder(Predicate::sle, holds(first(left)));
    return Answer{holds(first(left)), holds(last())};
  case Predicate::ugt:
  case Predicate::uge:
    if (!rising->noUnsignedWrap)
      return ifInOrder(Predicate::ule, holds(first(left)));
    return Answer{holds(first(left)), holds(last())};
  case Predicate::ne:
    return {};
  }
  llvm_unreachable("all predicates are handled");
}

} // namespace kiln
