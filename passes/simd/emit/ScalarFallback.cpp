#include "passes/simd/emit/ScalarFallback.h"
#include "dialects/ocl/IntConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/analysis/Conjuncts.h"
#include "passes/simd/decide/EarlyChecks.h"
#include "passes/simd/emit/EndLaneConditions.h"
#include "passes/simd/emit/WidenOperations.h"

using namespace mlir;

namespace kiln {
namespace {

bool enclosesRestOfBody(VectorBody &body, scf::IfOp branch) {
  return body.fallback().canFallBack && enclosesRestOfBlock(branch);
}

} // namespace

bool hasTwoSidedBounds(VectorBody &body) {
  unsigned ends = 0;
  for (Block *block = &body.from().getBody().front(); block;) {
    auto branches = block->getOps<scf::IfOp>();
    auto last = llvm::find_if(branches, [&](scf::IfOp branch) { return enclosesRestOfBody(body, branch); });
    block = last == branches.end() ? nullptr : (*last).thenBlock();
    if (block)
      ends += llvm::count_if(conjuncts((*last).getCondition()), [&](Value side) {
        return !body.shape(side).isUniform() && isDecidedByEndLanes(body, side);
      });
  }
  return ends > 1;
}

bool enterGuard(VectorBody &body, scf::IfOp branch) {
  if (!enclosesRestOfBody(body, branch))
    return false;
  VectorBuilder &b = body.builder();
  Value condition = branch.getCondition();
  if (body.shape(condition).isUniform()) {
    beginGuardedCode(body, body.lane0(condition), intConstant(b, 1, 1));
  } else {
    std::optional<EndLaneResult> known =
        body.fallback().masksBounds ? std::nullopt : evaluateAtEndLanes(body, condition);
    if (!known)
      return false;
    Value none; // no lane passes the guard
    if (!known->more && known->any)
      none = arith::XOrIOp::create(b, known->any, intConstant(b, 1, 1));
    beginGuardedCode(body, known->all, none, known->more);
  }
  widenBlock(body, *branch.thenBlock(), {});
  return true;
}

void beginGuardedCode(VectorBody &body, Value condition, Value doneElse, Value moreElse) {
  VectorBuilder &b = body.builder();
  Type flag = b.getI1Type();
  auto branch = scf::IfOp::create(b, TypeRange{flag, flag}, condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  auto valueOr = [&](Value value, bool otherwise) { return value ? value : intConstant(b, otherwise, 1); };
  Value done = valueOr(doneElse, false), more = valueOr(moreElse, true);
  scf::YieldOp::create(b, ValueRange{done, more});
  b.setInsertionPointToStart(branch.thenBlock());
  body.fallback().openGuards.push_back(branch);
}

Progress endGuardedCode(VectorBody &body) {
  VectorBuilder &b = body.builder();
  if (body.fallback().openGuards.empty())
    return {};
  Value yes = intConstant(b, 1, 1);
  SmallVector<Value> flags{yes, yes};
  for (scf::IfOp branch : llvm::reverse(body.fallback().openGuards)) { // innermost first
    scf::YieldOp::create(b, flags);
    b.setInsertionPointAfter(branch);
    flags.assign(branch.getResults().begin(), branch.getResults().end());
  }
  return {flags[0], flags[1]};
}

} // namespace kiln
