// Falling back from vector code. If the lanes of a vector disagree about a guard, or a runtime check of an address
// fails, and no side effect has happened yet, the vector body skips the rest and reports `done = false` (true if no
// lane passes the guard). The fallback vector body (masked) or the scalar body then runs the same work-items. The rest
// of the body is nested in one scf.if:
//
//   %done:2 = scf.if %all -> (i1, i1) { ... } else { scf.yield %false, %more }
#include "passes/analysis/Conjuncts.h"
#include "passes/simd/Widener.h"

using namespace mlir;

namespace kiln {

// Returns true if `op` has no side effect, so that another body may execute it again.
bool Widener::isRepeatable(Operation *op) {
  if (isa<scf::IfOp, scf::WhileOp>(op))
    return llvm::all_of(op->getRegions(), [](Region &region) {
      return llvm::all_of(region.getOps(), [](Operation &inner) { return isRepeatable(&inner); });
    });
  auto load = dyn_cast<LLVM::LoadOp>(op);
  return isa<LLVM::AllocaOp>(op) || (load && !load.getVolatile_()) || isMemoryEffectFree(op);
}

// Returns true if the branch contains every side effect of its block and has no else region: all work of the block
// after its condition.
bool Widener::enclosesRestOfBody(scf::IfOp branch) const {
  if (!canFallBack_ || branch.getNumResults() || !branch.getElseRegion().empty())
    return false;
  return llvm::all_of(branch->getBlock()->without_terminator(),
                      [&](Operation &op) { return &op == branch.getOperation() || isRepeatable(&op); });
}

bool Widener::hasTwoSidedBounds() {
  unsigned ends = 0;
  for (Block *block = &from_.getBody().front(); block;) {
    auto branches = block->getOps<scf::IfOp>();
    auto last = llvm::find_if(branches, [&](scf::IfOp branch) { return enclosesRestOfBody(branch); });
    block = last == branches.end() ? nullptr : (*last).thenBlock();
    if (block)
      ends += llvm::count_if(conjuncts((*last).getCondition()),
                             [&](Value side) { return !shape(side).isUniform() && isDecidedByEndLanes(side); });
  }
  return ends > 1;
}

// Nests the rest of the body in a scalar branch. Returns false if the end lanes do not decide the condition.
bool Widener::enterGuard(scf::IfOp branch) {
  Value condition = branch.getCondition();
  if (shape(condition).isUniform()) {
    beginGuardedCode(lane0(condition), arith::ConstantIntOp::create(b, loc, 1, 1), {});
  } else {
    std::optional<EndLaneResult> known = masksBounds_ ? std::nullopt : evaluateAtEndLanes(condition);
    if (!known)
      return false;
    Value none; // no lane passes the guard
    if (!known->more && known->any)
      none = arith::XOrIOp::create(b, loc, known->any, arith::ConstantIntOp::create(b, loc, 1, 1));
    beginGuardedCode(known->all, none, known->more);
  }
  widenBlock(*branch.thenBlock(), {});
  return true;
}

void Widener::beginGuardedCode(Value condition, Value doneElse, Value moreElse) {
  Type flag = b.getI1Type();
  auto branch = scf::IfOp::create(b, loc, TypeRange{flag, flag}, condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  auto valueOr = [&](Value value, bool otherwise) {
    return value ? value : arith::ConstantIntOp::create(b, loc, otherwise, 1).getResult();
  };
  Value done = valueOr(doneElse, false), more = valueOr(moreElse, true);
  scf::YieldOp::create(b, loc, ValueRange{done, more});
  b.setInsertionPointToStart(branch.thenBlock());
  openGuards_.push_back(branch);
}

Widener::Progress Widener::emitBody() {
  collectAddressGuards();
  for (const AccessGroups::AliasCheck &aliasChecks :
       isSkipped(Assumption::NoAlias) ? ArrayRef<AccessGroups::AliasCheck>() : groups_.aliasChecks())
    beginGuardedCode(checkAlias(aliasChecks), {}, {});
  widenBlock(from_.getBody().front(), {});
  if (openGuards_.empty())
    return {};
  // Close the guards, innermost first.
  Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
  SmallVector<Value> flags{yes, yes};
  for (scf::IfOp branch : llvm::reverse(openGuards_)) {
    scf::YieldOp::create(b, loc, flags);
    b.setInsertionPointAfter(branch);
    flags.assign(branch.getResults().begin(), branch.getResults().end());
  }
  return {flags[0], flags[1]};
}

Widener::Progress Widener::emitFallbackBody(OpBuilder &at, Progress progress) {
  b = at;
  masksBounds_ = true;
  Value no = arith::XOrIOp::create(b, loc, progress.done, arith::ConstantIntOp::create(b, loc, 1, 1));
  auto branch = scf::IfOp::create(b, loc, TypeRange{b.getI1Type(), b.getI1Type()},
                                  arith::AndIOp::create(b, loc, no, progress.more), /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, ValueRange{progress.done, progress.more});
  b.setInsertionPointToStart(branch.thenBlock());
  Progress own = emitBody();
  if (!own.done)
    own.done = own.more = arith::ConstantIntOp::create(b, loc, 1, 1);
  scf::YieldOp::create(b, loc, ValueRange{own.done, own.more});
  return {branch.getResult(0), branch.getResult(1)};
}

} // namespace kiln
