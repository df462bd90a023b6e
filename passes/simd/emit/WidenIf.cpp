#include "passes/simd/emit/WidenIf.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/analysis/Size.h"
#include "passes/simd/emit/CarriedValues.h"
#include "passes/simd/emit/EndLaneConditions.h"
#include "passes/simd/emit/WidenOneLaneBranch.h"
#include "passes/simd/emit/WidenOperations.h"

using namespace mlir;

namespace kiln {
namespace {

// Up to this many operations are speculated: they cost less than a branch.
constexpr unsigned MaxSpeculatedOps = 12;

// Returns true if inactive lanes may execute the region, and that is cheaper than a branch.
bool isWorthSpeculating(Region &region) {
  unsigned count = 0;
  for (Operation &op : region.front().without_terminator())
    if (op.getNumRegions() || !isMemoryEffectFree(&op) || !isSpeculatable(&op) || ++count > MaxSpeculatedOps)
      return false;
  return true;
}

// Emits one side of a branch, and returns what it yields for the results.
Vectors branchValues(VectorBody &body, Region &region, Value mask, ResultRange results) {
  Vectors values;
  if (region.empty())
    return values;
  widenBlock(body, region.front(), mask);
  appendCarried(body, region.front().getTerminator()->getOperands(), results, values);
  return values;
}

void widenUniformIf(VectorBody &body, scf::IfOp op, Value mask) {
  VectorBuilder &b = body.builder();
  SmallVector<Type> types;
  appendCarriedTypes(body, op.getResults(), types);
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(b, types, body.lane0(op.getCondition()), /*addThenBlock=*/true, hasElse);
  {
    OpBuilder::InsertionGuard guard(b);
    for (auto [from, to] :
         {std::pair(&op.getThenRegion(), &branch.getThenRegion()), {&op.getElseRegion(), &branch.getElseRegion()}}) {
      if (to->empty())
        continue;
      b.setInsertionPointToStart(&to->front());
      Vectors values = branchValues(body, *from, mask, op.getResults());
      scf::YieldOp::create(b, values);
    }
  }
  SmallVector<Value> values(branch.getResults());
  ArrayRef<Value> next = values;
  takeCarried(body, op.getResults(), next);
}

// Runs both sides under masks, and selects each lane's results. `anyTakes`: whether any lane takes the first side;
// null: not computed yet.
void widenSelect(VectorBody &body, scf::IfOp op, Value condition, Value mask, Value anyTakes) {
  VectorBuilder &b = body.builder();
  auto side = [&](Region &region, Value takes, Value anyTakes) {
    SmallVector<Vectors> values;
    if (region.empty())
      return values;
    SmallVector<Type> types;
    for (Value result : op.getResults())
      llvm::append_range(types, carriedTypes(body, result.getType(), Carried::Lanes));
    auto collect = [&] {
      Vectors all;
      for (Value value : region.front().getTerminator()->getOperands())
        appendCarried(body, value, Carried::Lanes, all);
      return all;
    };
    if (region.front().without_terminator().empty() || isWorthSpeculating(region)) {
      widenBlock(body, region.front(), takes);
      for (Value value : region.front().getTerminator()->getOperands())
        values.push_back(body.vectors(value));
      return values;
    }
    SmallVector<Value> all;
    {
      if (!anyTakes)
        anyTakes = b.any(takes);
      auto branch = scf::IfOp::create(b, types, anyTakes, /*addThenBlock=*/true, /*addElseBlock=*/!types.empty());
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      widenBlock(body, region.front(), takes);
      scf::YieldOp::create(b, collect());
      if (!types.empty()) {
        b.setInsertionPointToStart(branch.elseBlock());
        scf::YieldOp::create(b, llvm::map_to_vector(types, [&](Type type) { return b.poison(type); }));
      }
      all.assign(branch.getResults().begin(), branch.getResults().end());
    }
    ArrayRef<Value> next = all;
    for (Value result : op.getResults())
      values.push_back(takeVectors(body, result.getType(), next));
    return values;
  };
  SmallVector<Vectors> yes = side(op.getThenRegion(), b.andMask(mask, condition), anyTakes);
  SmallVector<Vectors> no = side(op.getElseRegion(), b.andMask(mask, b.notMask(condition)), {});
  for (auto [index, result] : llvm::enumerate(op.getResults())) {
    Vectors own;
    for (auto [a, other] : llvm::zip(yes[index], no[index]))
      own.push_back(a == other ? a : arith::SelectOp::create(b, condition, a, other).getResult());
    body.setVectors(result, own);
  }
}

} // namespace

void widenIf(VectorBody &body, scf::IfOp op, Value mask) {
  VectorBuilder &b = body.builder();
  if (body.shape(op.getCondition()).isUniform())
    return widenUniformIf(body, op, mask);
  if (const auto taken = oneLaneBranch(op, body.shapes(), body.groups());
      taken && !body.options().isAos && !body.options().checksAssumptions)
    return widenOneLaneBranch(body, op, *taken, mask);
  std::optional<EndLaneResult> known = mask ? std::nullopt : evaluateAtEndLanes(body, op.getCondition());
  Value condition = body.vectors(op.getCondition())[0];
  bool isCheap =
      isWorthSpeculating(op.getThenRegion()) && (op.getElseRegion().empty() || isWorthSpeculating(op.getElseRegion()));
  unsigned size = operationsIn(op.getThenRegion());
  bool hasElse = !op.getElseRegion().empty() && !op.elseBlock()->without_terminator().empty();
  if (mask || isCheap || hasElse || !body.mayDuplicate(size))
    return widenSelect(body, op, condition, mask, {});

  // A vector whose lanes all take the branch runs a copy without a mask.
  body.countDuplicated(size);
  Value allTake = known ? known->all : b.all(condition), anyTakes = known && known->any ? known->any : b.any(condition);
  SmallVector<Type> types;
  for (Value result : op.getResults())
    llvm::append_range(types, carriedTypes(body, result.getType(), Carried::Lanes));
  auto branch = scf::IfOp::create(b, types, allTake, /*addThenBlock=*/true, /*addElseBlock=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    {
      VectorBody::CounterpartsScope scope(body);
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b, branchValues(body, op.getThenRegion(), {}, op.getResults()));
    }
    b.setInsertionPointToStart(branch.elseBlock());
    widenSelect(body, op, condition, mask, anyTakes);
    Vectors values;
    for (Value result : op.getResults())
      appendCarried(body, result, Carried::Lanes, values);
    scf::YieldOp::create(b, values);
  }
  SmallVector<Value> values(branch.getResults());
  ArrayRef<Value> next = values;
  for (Value result : op.getResults())
    takeCarried(body, result, Carried::Lanes, next);
}

} // namespace kiln
