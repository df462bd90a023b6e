// Conditions that need no vector. A comparison of a value that rises from lane to lane with a uniform one is monotonic
// in the lane, so the first and the last lane decide it for all.
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Matchers.h"
#include "passes/analysis/Conjuncts.h"
#include "passes/simd/Widener.h"

using namespace mlir;

namespace kiln {

std::optional<Widener::EndLaneResult> Widener::evaluateAtEndLanes(Value condition) {
  std::optional<EndLaneResult> joint;
  auto conjunction = [&](Value x, Value y) {
    return x && y ? arith::AndIOp::create(b, loc, x, y).getResult() : Value();
  };
  for (Value side : conjuncts(condition)) {
    std::optional<EndLaneResult> own = EndLaneResult{};
    if (shape(side).isUniform())
      own = EndLaneResult{lane0(side), lane0(side), lane0(side), true};
    else if (auto comparison = side.getDefiningOp<arith::CmpIOp>())
      own = evaluateComparison(comparison);
    if (!own || !own->all)
      return {};
    if (!joint) {
      joint = own;
      continue;
    }
    joint->all = conjunction(joint->all, own->all);
    joint->more = joint->more && own->more ? conjunction(joint->more, own->more)
                  : joint->more            ? joint->more
                                           : own->more;
    joint->isPrefix &= own->isPrefix;
    joint->any = joint->isPrefix ? conjunction(joint->any, own->any) : Value(); // two prefixes share lane 0
  }
  if (joint && checksAssumptions_)
    expectEndLanes(condition, *joint);
  return joint;
}

// Returns true if every conjunct is uniform or decided by two lanes.
bool Widener::isDecidedByEndLanes(Value condition) const {
  return llvm::all_of(conjuncts(condition), [&](Value side) {
    auto comparison = side.getDefiningOp<arith::CmpIOp>();
    return shape(side).isUniform() || (comparison && isDecidedByEndLanes(comparison));
  });
}

bool Widener::isDecidedByEndLanes(arith::CmpIOp comparison) const {
  if (comparison.getPredicate() == arith::CmpIPredicate::eq || comparison.getPredicate() == arith::CmpIPredicate::ne)
    return false;
  // The span from the first to the last lane must be less than the type's range, or lanes would not be ordered.
  auto rises = [&](Value value) {
    const std::optional<StrideInfo> info = knownStrideInfo(shape(value));
    auto type = dyn_cast<IntegerType>(value.getType());
    return type && info && info->stride > 0 &&
           uint64_t(info->stride) * (lanes_ - 1) <= llvm::maxUIntN(std::min(type.getWidth(), 64u));
  };
  Value left = comparison.getLhs(), right = comparison.getRhs();
  return (rises(left) && shape(right).isUniform()) || (rises(right) && shape(left).isUniform());
}

std::optional<Widener::EndLaneResult> Widener::evaluateComparison(arith::CmpIOp op) {
  using Predicate = arith::CmpIPredicate;
  if (!isDecidedByEndLanes(op) && op.getPredicate() != Predicate::eq)
    return {};
  Value left = op.getLhs(), right = op.getRhs();
  Predicate predicate = op.getPredicate();
  if (shape(left).isUniform()) {
    std::swap(left, right);
    constexpr Predicate swapped[] = {Predicate::eq,  Predicate::ne,  Predicate::sgt, Predicate::sge, Predicate::slt,
                                     Predicate::sle, Predicate::ugt, Predicate::uge, Predicate::ult, Predicate::ule};
    predicate = swapped[unsigned(predicate)];
  }
  const std::optional<StrideInfo> info = knownStrideInfo(shape(left));
  if (!info || info->stride <= 0 || !shape(right).isUniform())
    return {};
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(left.getType(), value)).getResult();
  };
  auto holds = [&](Value lane) { return arith::CmpIOp::create(b, loc, predicate, lane, lane0(right)).getResult(); };
  const int64_t span = info->stride * int64_t(lanes_ - 1);
  auto last = [&] { return arith::AddIOp::create(b, loc, lane0(left), number(span)).getResult(); };
  // A value that may wrap between two lanes does not wrap if its last lane is above its first.
  auto ifInOrder = [&](Predicate order, Value all) {
    if (isSkipped(Assumption::LaneOrder))
      return EndLaneResult{all};
    Value inOrder = arith::CmpIOp::create(b, loc, order, lane0(left), last());
    return EndLaneResult{arith::AndIOp::create(b, loc, all, inOrder).getResult()};
  };
  // Guards are checked for one vector only: in the next one the value may have wrapped to where the condition holds.
  const bool endsRow = shape(left).isStridedAlways();
  auto prefix = [&](Value firstLane, Value lastLane) {
    return EndLaneResult{lastLane, firstLane, endsRow ? firstLane : Value(), true};
  };
  // Vectors start at multiples of their width. If the limit is a multiple as well, all lanes of a vector agree.
  if (APInt limit; matchPattern(left, m_Op<ocl::QueryOp>()) && matchPattern(right, m_ConstantInt(&limit)) &&
                   left.getDefiningOp<ocl::QueryOp>().getKind() == ocl::Query::local_id &&
                   (limit.urem(lanes_) == 0 || isSkipped(Assumption::WholeVectors))) {
    if (predicate == Predicate::ult || predicate == Predicate::slt)
      return prefix(holds(lane0(left)), holds(lane0(left)));
    if (predicate == Predicate::uge || predicate == Predicate::sge)
      return EndLaneResult{holds(lane0(left)), holds(lane0(left))};
  }
  switch (predicate) {
  case Predicate::eq: {
    if (info->stride != 1)
      return {};
    Value distance = arith::SubIOp::create(b, loc, lane0(right), lane0(left));
    Value any = arith::CmpIOp::create(b, loc, Predicate::ule, distance, number(span));
    return EndLaneResult{arith::ConstantIntOp::create(b, loc, 0, 1), any};
  }
  case Predicate::slt:
  case Predicate::sle:
    if (!info->noSignedWrap)
      return ifInOrder(Predicate::sle, holds(last()));
    return prefix(holds(lane0(left)), holds(last()));
  case Predicate::ult:
  case Predicate::ule:
    if (!info->noUnsignedWrap)
      return ifInOrder(Predicate::ule, holds(last()));
    return prefix(holds(lane0(left)), holds(last()));
  case Predicate::sgt:
  case Predicate::sge:
    if (!info->noSignedWrap)
      return ifInOrder(Predicate::sle, holds(lane0(left)));
    return EndLaneResult{holds(lane0(left)), holds(last())};
  case Predicate::ugt:
  case Predicate::uge:
    if (!info->noUnsignedWrap)
      return ifInOrder(Predicate::ule, holds(lane0(left)));
    return EndLaneResult{holds(lane0(left)), holds(last())};
  case Predicate::ne:
    return {};
  }
  llvm_unreachable("all predicates are handled");
}

} // namespace kiln
