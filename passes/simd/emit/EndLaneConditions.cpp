#include "passes/simd/emit/EndLaneConditions.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Matchers.h"
#include "passes/analysis/Conjuncts.h"
#include "passes/simd/decide/EarlyChecks.h"
#include "passes/simd/emit/CheckAssumptions.h"

using namespace mlir;

namespace kiln {
namespace {

bool isMonotonic(VectorBody &body, arith::CmpIOp comparison) {
  return isMonotonic(comparison, body.shapes(), body.builder().lanes(),
                     [&](Value value) { return body.knownStrideInfo(body.shape(value)); });
}

std::optional<EndLaneResult> evaluateComparison(VectorBody &body, arith::CmpIOp op) {
  VectorBuilder &b = body.builder();
  using Predicate = arith::CmpIPredicate;
  if (!isMonotonic(body, op) && op.getPredicate() != Predicate::eq)
    return {};
  Value left = op.getLhs(), right = op.getRhs();
  Predicate predicate = op.getPredicate();
  if (body.shape(left).isUniform()) {
    std::swap(left, right);
    constexpr Predicate swapped[] = {Predicate::eq,  Predicate::ne,  Predicate::sgt, Predicate::sge, Predicate::slt,
                                     Predicate::sle, Predicate::ugt, Predicate::uge, Predicate::ult, Predicate::ule};
    predicate = swapped[unsigned(predicate)];
  }
  const std::optional<StrideInfo> info = body.knownStrideInfo(body.shape(left));
  if (!info || info->stride <= 0 || !body.shape(right).isUniform())
    return {};
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(left.getType(), value)).getResult();
  };
  auto holds = [&](Value lane) { return arith::CmpIOp::create(b, predicate, lane, body.lane0(right)).getResult(); };
  const int64_t span = info->stride * int64_t(b.lanes() - 1);
  auto last = [&] { return arith::AddIOp::create(b, body.lane0(left), number(span)).getResult(); };
  // A value that may wrap between two lanes does not wrap if its last lane is above its first.
  auto ifInOrder = [&](Predicate order, Value all) {
    if (body.isSkipped(Assumption::LaneOrder))
      return EndLaneResult{all};
    Value inOrder = arith::CmpIOp::create(b, order, body.lane0(left), last());
    return EndLaneResult{arith::AndIOp::create(b, all, inOrder).getResult()};
  };
  // Checks are about one vector only: in the next one the value may have wrapped to where the condition holds.
  const bool endsRow = body.rowShape(left).isStridedAlways() && body.rowShape(right).isUniform();
  auto prefix = [&](Value firstLane, Value lastLane) {
    return EndLaneResult{lastLane, firstLane, endsRow ? firstLane : Value(), true};
  };
  // Vectors start at multiples of their width. If the limit is a multiple as well, all lanes of a vector agree.
  if (APInt limit; matchPattern(left, m_Op<ocl::QueryOp>()) && matchPattern(right, m_ConstantInt(&limit)) &&
                   left.getDefiningOp<ocl::QueryOp>().getKind() == ocl::Query::local_id &&
                   (limit.urem(b.lanes()) == 0 || body.isSkipped(Assumption::WholeVectors))) {
    if (predicate == Predicate::ult || predicate == Predicate::slt)
      return prefix(holds(body.lane0(left)), holds(body.lane0(left)));
    if (predicate == Predicate::uge || predicate == Predicate::sge)
      return EndLaneResult{holds(body.lane0(left)), holds(body.lane0(left))};
  }
  switch (predicate) {
  case Predicate::eq: {
    if (info->stride != 1)
      return {};
    Value distance = arith::SubIOp::create(b, body.lane0(right), body.lane0(left));
    Value any = arith::CmpIOp::create(b, Predicate::ule, distance, number(span));
    return EndLaneResult{intConstant(b, 0, 1), any};
  }
  case Predicate::slt:
  case Predicate::sle:
    if (!info->noSignedWrap)
      return ifInOrder(Predicate::sle, holds(last()));
    return prefix(holds(body.lane0(left)), holds(last()));
  case Predicate::ult:
  case Predicate::ule:
    if (!info->noUnsignedWrap)
      return ifInOrder(Predicate::ule, holds(last()));
    return prefix(holds(body.lane0(left)), holds(last()));
  case Predicate::sgt:
  case Predicate::sge:
    if (!info->noSignedWrap)
      return ifInOrder(Predicate::sle, holds(body.lane0(left)));
    return EndLaneResult{holds(body.lane0(left)), holds(last())};
  case Predicate::ugt:
  case Predicate::uge:
    if (!info->noUnsignedWrap)
      return ifInOrder(Predicate::ule, holds(body.lane0(left)));
    return EndLaneResult{holds(body.lane0(left)), holds(last())};
  case Predicate::ne:
    return {};
  }
  llvm_unreachable("all predicates are handled");
}

} // namespace

bool isDecidedByEndLanes(VectorBody &body, Value condition) {
  return llvm::all_of(conjuncts(condition), [&](Value side) {
    auto comparison = side.getDefiningOp<arith::CmpIOp>();
    return body.shape(side).isUniform() || (comparison && isMonotonic(body, comparison));
  });
}

std::optional<EndLaneResult> evaluateAtEndLanes(VectorBody &body, Value condition) {
  VectorBuilder &b = body.builder();
  std::optional<EndLaneResult> joint;
  auto conjunction = [&](Value x, Value y) { return x && y ? arith::AndIOp::create(b, x, y).getResult() : Value(); };
  for (Value side : conjuncts(condition)) {
    std::optional<EndLaneResult> own = EndLaneResult{};
    if (body.shape(side).isUniform())
      own = EndLaneResult{body.lane0(side), body.lane0(side),
                          body.rowShape(side).isUniform() ? body.lane0(side) : Value(), true};
    else if (auto comparison = side.getDefiningOp<arith::CmpIOp>())
      own = evaluateComparison(body, comparison);
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
  if (joint && body.options().checksAssumptions)
    expectEndLanes(body, condition, *joint);
  return joint;
}

} // namespace kiln
