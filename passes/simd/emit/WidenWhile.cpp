#include "passes/simd/emit/WidenWhile.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/UnrollHint.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/analysis/Size.h"
#include "passes/simd/decide/EarlyChecks.h"
#include "passes/simd/emit/CarriedValues.h"
#include "passes/simd/emit/EndLaneConditions.h"
#include "passes/simd/emit/WidenOperations.h"

using namespace mlir;

namespace kiln {
namespace {

// Returns true for grid-stride loops, `for (i = id; i < n; i += size)`: in almost all iterations every lane is active.
bool canRunUnmasked(VectorBody &body, scf::WhileOp op) {
  return isDecidedByEndLanes(body, op.getConditionOp().getCondition()) && body.mayDuplicate(operationsIn(op)) &&
         llvm::all_of(op.getBeforeBody()->without_terminator(), [](Operation &inner) { return isRepeatable(&inner); });
}

// Emits a loop over the iterations that all lanes execute, without a mask. Returns the values that it carries at its
// end, where the masked loop starts.
Vectors emitUnmaskedLoop(VectorBody &body, scf::WhileOp op, Vectors inits) {
  VectorBuilder &b = body.builder();
  body.countDuplicated(operationsIn(op));
  scf::ConditionOp condition = op.getConditionOp();
  const SmallVector<Type> carried = llvm::map_to_vector(inits, [](Value value) { return value.getType(); });
  SmallVector<Type> forwarded = carried;
  appendCarriedTypes(body, op.getAfterArguments(), forwarded);

  auto loop = scf::WhileOp::create(b, forwarded, inits);
  ocl::keepUnrollHint(op, loop);
  OpBuilder::InsertionGuard guard(b);
  VectorBody::CounterpartsScope scope(body);
  Block *before = b.createBlock(&loop.getBefore(), {}, carried, SmallVector<Location>(carried.size(), b.getLoc()));
  SmallVector<Value> arguments(before->getArguments().begin(), before->getArguments().end());
  ArrayRef<Value> next = arguments;
  takeCarried(body, op.getBeforeArguments(), next);
  widenBlock(body, *op.getBeforeBody(), {});
  b.setLoc(op.getLoc());
  Vectors values(arguments.begin(), arguments.end());
  appendCarried(body, condition.getArgs(), op.getAfterArguments(), values);
  scf::ConditionOp::create(b, evaluateAtEndLanes(body, condition.getCondition())->all, values);

  Block *after = b.createBlock(&loop.getAfter(), {}, forwarded, SmallVector<Location>(forwarded.size(), b.getLoc()));
  arguments.assign(after->getArguments().begin(), after->getArguments().end());
  next = ArrayRef<Value>(arguments).drop_front(carried.size());
  takeCarried(body, op.getAfterArguments(), next);
  widenBlock(body, *op.getAfterBody(), {});
  b.setLoc(op.getLoc());
  Vectors again;
  appendCarried(body, op.getYieldOp().getOperands(), op.getBeforeArguments(), again);
  scf::YieldOp::create(b, again);
  return Vectors(loop.getResults().take_front(carried.size()));
}

} // namespace

// A result that is used after a divergent loop is blended: each lane keeps its value from the iteration in which it
// left. Other values of inactive lanes are unused.
void widenWhile(VectorBody &body, scf::WhileOp op, Value mask) {
  VectorBuilder &b = body.builder();
  scf::ConditionOp condition = op.getConditionOp();
  bool isUniform = body.shape(condition.getCondition()).isUniform();
  Vectors inits;
  SmallVector<Type> carried, forwarded;
  appendCarried(body, op.getInits(), op.getBeforeArguments(), inits);
  appendCarriedTypes(body, op.getBeforeArguments(), carried);
  appendCarriedTypes(body, op.getAfterArguments(), forwarded);
  if (!isUniform && !mask && canRunUnmasked(body, op))
    inits = emitUnmaskedLoop(body, op, inits);
  SmallVector<unsigned> kept; // results that have uses
  for (auto [index, result] : llvm::enumerate(op.getResults()))
    if (!result.use_empty()) {
      kept.push_back(unsigned(index));
      if (isUniform) {
        appendCarriedTypes(body, result, forwarded);
      } else {
        for (Type type : carriedTypes(body, result.getType(), Carried::Lanes)) {
          inits.push_back(b.poison(type));
          carried.push_back(type), forwarded.push_back(type);
        }
      }
    }
  if (!isUniform) {
    Value active = mask ? mask : b.splat(intConstant(b, 1, 1));
    inits.push_back(toMaskInteger(body, active));
    carried.push_back(inits.back().getType()), forwarded.push_back(inits.back().getType());
  }

  auto loop = scf::WhileOp::create(b, forwarded, inits);
  ocl::keepUnrollHint(op, loop);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, carried, SmallVector<Location>(carried.size(), b.getLoc()));
  SmallVector<Value> arguments(before->getArguments().begin(), before->getArguments().end());
  ArrayRef<Value> next = arguments;
  takeCarried(body, op.getBeforeArguments(), next);
  SmallVector<Vectors> previous;
  if (!isUniform)
    for (unsigned index : kept)
      previous.push_back(takeVectors(body, op.getResult(index).getType(), next));
  Value active = isUniform ? mask : fromMaskInteger(body, next.front(), b.getI1Type());
  widenBlock(body, *op.getBeforeBody(), active);
  b.setLoc(op.getLoc());
  Vectors values;
  appendCarried(body, condition.getArgs(), op.getAfterArguments(), values);
  Value continues;
  if (isUniform) {
    for (unsigned index : kept)
      appendCarried(body, condition.getArgs()[index], carriedAs(body, op.getResult(index)), values);
    continues = body.lane0(condition.getCondition());
  } else {
    for (auto [index, own] : llvm::zip(kept, previous))
      for (auto [now, old] : llvm::zip(body.vectors(condition.getArgs()[index]), own))
        values.push_back(toMaskInteger(body, arith::SelectOp::create(b, active, now, old)));
    Value remaining = b.andMask(active, body.vectors(condition.getCondition())[0]);
    values.push_back(toMaskInteger(body, remaining));
    continues = b.any(remaining);
  }
  scf::ConditionOp::create(b, continues, values);

  Block *after = b.createBlock(&loop.getAfter(), {}, forwarded, SmallVector<Location>(forwarded.size(), b.getLoc()));
  arguments.assign(after->getArguments().begin(), after->getArguments().end());
  next = arguments;
  takeCarried(body, op.getAfterArguments(), next);
  ArrayRef<Value> rest = next; // the blended results, and the mask
  Value remaining = isUniform ? mask : fromMaskInteger(body, rest.back(), b.getI1Type());
  widenBlock(body, *op.getAfterBody(), remaining);
  b.setLoc(op.getLoc());
  Vectors again;
  appendCarried(body, op.getYieldOp().getOperands(), op.getBeforeArguments(), again);
  if (!isUniform)
    llvm::append_range(again, rest);
  scf::YieldOp::create(b, again);

  b.setInsertionPointAfter(loop);
  SmallVector<Value> results(loop.getResults());
  next = ArrayRef<Value>(results).take_back(rest.size());
  for (unsigned index : kept)
    takeCarried(body, op.getResult(index), carriedAs(body, op.getResult(index)), next);
}

} // namespace kiln
