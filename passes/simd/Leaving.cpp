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
    if (!known->isPrefix && known->any)
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
  noteGuards();
  for (const AccessRuns::Apart &apart : runs_.apart())
    enter(areApart(apart), {}, {});
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

// ---- guards -------------------------------------------------------------------------------------------------------

void Widener::noteGuards() {
  from_.getBody().walk([&](Operation *op) {
    if (runs_.of(op)) // whose lanes compute their addresses one by one
      return;
    Value address;
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      address = load.getAddr();
    else if (auto store = dyn_cast<LLVM::StoreOp>(op))
      address = store.getAddr();
    if (address)
      for (Operation *guard : shape(address).guards)
        wanted_.insert(guard);
  });
}

// What an address rests on is asked as soon as it is known, and once.
void Widener::prove(Operation *guard) {
  if (!wanted_.contains(guard) || !hasFirst(guard->getResult(0)))
    return;
  enter(guardHolds(guard), {}, {});
  proven_.insert(guard);
}

// Null: all is known.
Value Widener::guardsHold(const LaneShape &shape) {
  Value all;
  for (Operation *guard : shape.guards)
    if (!proven_.contains(guard)) {
      Value one = guardHolds(guard);
      all = all ? arith::AndIOp::create(b, loc, all, one).getResult() : one;
    }
  return all;
}

Value Widener::guardHolds(Operation *guard) { return isPartition(guard) ? isOnePiece(guard) : wrapsNowhere(guard); }

// No step to the next lane wraps around where the address was computed in a narrower type.
Value Widener::wrapsNowhere(Operation *extension) {
  Value operand = extension->getOperand(0);
  int64_t span = shape(operand).stride * int64_t(lanes_ - 1);
  unsigned bits = operand.getType().getIntOrFloatBitWidth();
  bool isSigned = isa<arith::ExtSIOp>(extension);
  APInt low = isSigned ? APInt::getSignedMinValue(bits) : APInt::getZero(bits);
  APInt high = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  APInt distance(bits, uint64_t(span), /*isSigned=*/true, /*implicitTrunc=*/true);
  bool rises = span > 0;
  APInt limit = (rises ? high : low) - distance;
  auto predicate = rises ? (isSigned ? arith::CmpIPredicate::sle : arith::CmpIPredicate::ule)
                         : (isSigned ? arith::CmpIPredicate::sge : arith::CmpIPredicate::uge);
  Value bound = arith::ConstantOp::create(b, loc, b.getIntegerAttr(operand.getType(), limit));
  return arith::CmpIOp::create(b, loc, predicate, first(operand), bound);
}

// The first and the last lane's number lie in one of the pieces into which the operation cuts them.
Value Widener::isOnePiece(Operation *op) {
  Value rising = op->getOperand(0), cut = op->getOperand(1);
  if (shape(rising).isUniform())
    std::swap(rising, cut);
  Type type = rising.getType();
  const int64_t span = shape(rising).stride * int64_t(lanes_ - 1);
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value)).getResult();
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value other) {
    return arith::CmpIOp::create(b, loc, predicate, a, other).getResult();
  };
  auto both = [&](Value a, Value other) { return arith::AndIOp::create(b, loc, a, other).getResult(); };
  Value x = first(rising), by = first(cut), result = first(op->getResult(0));
  Value holds;
  auto ask = [&](Value condition) { holds = holds ? both(holds, condition) : condition; };
  if (isa<arith::AndIOp>(op)) { // low bits that the mask keeps, and that hold the way from the first to the last
    Value low = number(int64_t(llvm::PowerOf2Ceil(uint64_t(span) + 1)) - 1);
    ask(compare(arith::CmpIPredicate::eq, both(x, low), number(0)));
    ask(compare(arith::CmpIPredicate::eq, both(by, low), low));
    return holds;
  }
  const bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::ShRSIOp>(op);
  // Under a mask lane 0 may be one that never promised not to wrap around, nor to be positive.
  if (!mayLeave_ || !shape(rising).exactUnsigned) {
    const unsigned bits = type.getIntOrFloatBitWidth();
    const APInt most = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
    Value limit = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, most - APInt(bits, uint64_t(span))));
    ask(compare(arith::CmpIPredicate::ule, x, limit));
  }
  if (isa<arith::ShRUIOp, arith::ShRSIOp>(op)) {
    Value last = arith::ShRUIOp::create(b, loc, arith::AddIOp::create(b, loc, x, number(span)), by);
    ask(compare(arith::CmpIPredicate::eq, last, result));
    return holds;
  }
  Value rest = result;
  if (isa<arith::DivUIOp, arith::DivSIOp>(op))
    rest = arith::SubIOp::create(b, loc, x, arith::MulIOp::create(b, loc, result, by));
  Value room = arith::SubIOp::create(b, loc, by, number(span));
  ask(compare(isSigned ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ugt, by, number(span)));
  ask(compare(isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult, rest, room));
  return holds;
}

// What one work-item reads is not what it writes.
Value Widener::areApart(const AccessRuns::Apart &apart) {
  Type number = b.getI64Type();
  auto constant = [&](int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 64).getResult(); };
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value other) {
    return arith::CmpIOp::create(b, loc, predicate, a, other).getResult();
  };
  auto either = [&](Value a, Value other) { return arith::OrIOp::create(b, loc, a, other).getResult(); };
  Value way = arith::SubIOp::create(b, loc, LLVM::PtrToIntOp::create(b, loc, number, apart.written),
                                    LLVM::PtrToIntOp::create(b, loc, number, apart.read));
  Value are = either(compare(arith::CmpIPredicate::sge, way, constant(apart.readTo - apart.writtenFrom)),
                     compare(arith::CmpIPredicate::sle, way, constant(apart.readFrom - apart.writtenTo)));
  return apart.orSame ? either(are, compare(arith::CmpIPredicate::eq, way, constant(0))) : are;
}

} // namespace kiln
