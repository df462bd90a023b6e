// What vectors are left by: where the lanes of one do not go together, or a guard of its addresses fails, and nothing
// has been done yet, somebody else takes its work-items: a second copy of a short body, which has masks and takes
// nothing for granted, or the body for one. All that is still to come stands in one branch then:
//
//   %done:2 = scf.if %together -> (i1, i1) { ... } else { scf.yield %false, %more }
#include "passes/analysis/Conjuncts.h"
#include "passes/simd/Widener.h"

using namespace mlir;

namespace kiln {

// May it be done again.
bool Widener::leavesNoTrace(Operation *op) {
  if (isa<scf::IfOp, scf::WhileOp>(op))
    return llvm::all_of(op->getRegions(), [](Region &region) {
      return llvm::all_of(region.getOps(), [](Operation &inner) { return leavesNoTrace(&inner); });
    });
  auto load = dyn_cast<LLVM::LoadOp>(op);
  return isa<LLVM::AllocaOp>(op) || (load && !load.getVolatile_()) || isMemoryEffectFree(op);
}

// Is there nothing else that work-items are there for.
bool Widener::canBeLast(scf::IfOp branch) const {
  if (!mayLeave_ || branch.getNumResults() || !branch.getElseRegion().empty())
    return false;
  return llvm::all_of(branch->getBlock()->without_terminator(),
                      [&](Operation &op) { return &op == branch.getOperation() || leavesNoTrace(&op); });
}

bool Widener::hasEdges() {
  unsigned ends = 0;
  for (Block *block = &from_.getBody().front(); block;) {
    auto branches = block->getOps<scf::IfOp>();
    auto last = llvm::find_if(branches, [&](scf::IfOp branch) { return canBeLast(branch); });
    block = last == branches.end() ? nullptr : (*last).thenBlock();
    if (block)
      ends += llvm::count_if(conjuncts((*last).getCondition()),
                             [&](Value side) { return !shape(side).isUniform() && hasAnswer(side); });
  }
  return ends > 1;
}

// A branch around all that is still to come, where no vector of conditions is needed to decide it.
bool Widener::enterBranch(scf::IfOp branch) {
  Value condition = branch.getCondition();
  if (shape(condition).isUniform()) {
    enter(first(condition), arith::ConstantIntOp::create(b, loc, 1, 1), {});
  } else {
    std::optional<Answer> known = takesEdges_ ? std::nullopt : answer(condition);
    if (!known)
      return false;
    Value none; // has anything to do
    if (!known->more && known->any)
      none = arith::XOrIOp::create(b, loc, known->any, arith::ConstantIntOp::create(b, loc, 1, 1));
    enter(known->all, none, known->more);
  }
  widenBlock(*branch.thenBlock(), {});
  return true;
}

void Widener::enter(Value condition, Value doneElse, Value moreElse) {
  Type flag = b.getI1Type();
  auto branch = scf::IfOp::create(b, loc, TypeRange{flag, flag}, condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  auto known = [&](Value value, bool otherwise) {
    return value ? value : arith::ConstantIntOp::create(b, loc, otherwise, 1).getResult();
  };
  Value done = known(doneElse, false), more = known(moreElse, true);
  scf::YieldOp::create(b, loc, ValueRange{done, more});
  b.setInsertionPointToStart(branch.thenBlock());
  entered_.push_back(branch);
}

Widener::Told Widener::write() {
  collectAddressGuards();
  for (const AccessRuns::Apart &apart : isSkipped(Assumption::NoAlias) ? ArrayRef<AccessRuns::Apart>() : runs_.apart())
    enter(checkAlias(apart), {}, {});
  widenBlock(from_.getBody().front(), {});
  if (entered_.empty())
    return {};
  // The end of the body, behind everything that was entered.
  Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
  SmallVector<Value> told{yes, yes};
  for (scf::IfOp branch : llvm::reverse(entered_)) {
    scf::YieldOp::create(b, loc, told);
    b.setInsertionPointAfter(branch);
    told.assign(branch.getResults().begin(), branch.getResults().end());
  }
  return {told[0], told[1]};
}

Widener::Told Widener::writeFor(OpBuilder &at, Told told) {
  b = at;
  takesEdges_ = true;
  Value no = arith::XOrIOp::create(b, loc, told.done, arith::ConstantIntOp::create(b, loc, 1, 1));
  auto branch = scf::IfOp::create(b, loc, TypeRange{b.getI1Type(), b.getI1Type()},
                                  arith::AndIOp::create(b, loc, no, told.more), /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, ValueRange{told.done, told.more});
  b.setInsertionPointToStart(branch.thenBlock());
  Told own = write();
  if (!own.done)
    own.done = own.more = arith::ConstantIntOp::create(b, loc, 1, 1);
  scf::YieldOp::create(b, loc, ValueRange{own.done, own.more});
  return {branch.getResult(0), branch.getResult(1)};
}

} // namespace kiln
