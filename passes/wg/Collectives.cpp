#include "passes/wg/Collectives.h"
#include "dialects/ocl/IntConstant.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "passes/lowering/Combine.h"

using namespace mlir;

namespace kiln {

Block *Collectives::lower(Operation *op) {
  Block *before = op->getBlock();
  after_ = before->splitBlock(op);
  builder_.setInsertionPointToEnd(before);
  if (auto any = dyn_cast<wg::AnyOp>(op))
    lower(any);
  else if (auto reduce = dyn_cast<wg::ReduceOp>(op))
    lower(reduce);
  else
    lower(cast<wg::CombineOp>(op));
  cf::BranchOp::create(builder_, group_.loc, after_);
  op->erase();
  return after_;
}

// for (i = first; i < end; i += step) carried = body(i, carried), with at least one iteration. Returns the last
// iteration's value. The insertion point is after the loop then.
Value Collectives::loop(Value first, Value end, int64_t step, Value carried,
                        llvm::function_ref<Value(Value, Value)> body) {
  Block *head = new Block, *exit = new Block;
  SmallVector<Value> start{first};
  head->addArgument(group_.i64, group_.loc);
  if (carried) {
    start.push_back(carried);
    head->addArgument(carried.getType(), group_.loc);
    exit->addArgument(carried.getType(), group_.loc);
  }
  Region *region = after_->getParent();
  region->getBlocks().insert(Region::iterator(after_), head);
  cf::BranchOp::create(builder_, group_.loc, head, start);
  builder_.setInsertionPointToEnd(head);
  Value index = head->getArgument(0);
  Value made = body(index, carried ? head->getArgument(1) : Value());
  SmallVector<Value> next{group_.add(index, group_.constant(step))}, last;
  if (carried)
    next.push_back(made), last.push_back(made);
  Value more = group_.isLess(next[0], end);
  region->getBlocks().insert(Region::iterator(after_), exit);
  cf::CondBranchOp::create(builder_, group_.loc, more, head, next, exit, last);
  builder_.setInsertionPointToEnd(exit);
  return carried ? exit->getArgument(0) : Value();
}

// Returns `accumulated` combined with element `index` of `slot`; returns `accumulated` if the mask is false for that
// work-item.
Value Collectives::addElement(ocl::CombiningKind kind, Value accumulated, Value slot, Value mask, Value index) {
  Value with = combine(builder_, group_.loc, kind, accumulated, slots_.load(slot, index));
  return mask ? arith::SelectOp::create(builder_, group_.loc, slots_.load(mask, index), with, accumulated) : with;
}

// any = false; for i below the number of work-items: any = any | slot[i]
void Collectives::lower(wg::AnyOp any) {
  Value none = intConstant(builder_, group_.loc, 0, 8);
  Value sum = loop(group_.constant(0), group_.itemCount(), 1, none, [&](Value index, Value sum) -> Value {
    Value flag = LLVM::LoadOp::create(builder_, group_.loc, builder_.getI8Type(), slots_.address(any.getSlot(), index));
    return arith::OrIOp::create(builder_, group_.loc, sum, flag);
  });
  any.replaceAllUsesWith(arith::CmpIOp::create(builder_, group_.loc, arith::CmpIPredicate::ne, sum, none).getResult());
}

// sum = identity; for i below the number of work-items: sum = sum + slot[i]
void Collectives::lower(wg::ReduceOp reduce) {
  Value identity = identityValue(builder_, group_.loc, reduce.getKind(), reduce.getType());
  Value sum = loop(group_.constant(0), group_.itemCount(), 1, identity, [&](Value index, Value sum) {
    return addElement(reduce.getKind(), sum, reduce.getSlot(), reduce.getMask(), index);
  });
  reduce.replaceAllUsesWith(sum);
}

// For each cluster of `width` work-items (default: the group): to[i] is the exclusive scan, the inclusive scan or the
// reduction of from[i], as `group_operation` says.
void Collectives::lower(wg::CombineOp op) {
  Value items = group_.itemCount(),
        identity = identityValue(builder_, group_.loc, op.getKind(), op.getFrom().getType().getElement());
  auto run = [&](Value first, Value end) {
    Value all = loop(first, end, 1, identity, [&](Value index, Value sum) {
      Value next = addElement(op.getKind(), sum, op.getFrom(), op.getMask(), index);
      if (op.getGroupOperation() != ocl::GroupOperation::reduce)
        slots_.store(op.getGroupOperation() == ocl::GroupOperation::inclusive_scan ? next : sum, op.getTo(), index);
      return next;
    });
    if (op.getGroupOperation() == ocl::GroupOperation::reduce)
      loop(first, end, 1, {}, [&](Value index, Value) {
        slots_.store(all, op.getTo(), index);
        return Value();
      });
  };
  if (std::optional<uint32_t> width = op.getWidth())
    loop(group_.constant(0), items, *width, {}, [&](Value first, Value) {
      run(first, arith::MinUIOp::create(builder_, group_.loc, group_.add(first, group_.constant(*width)), items));
      return Value();
    });
  else
    run(group_.constant(0), items);
}

} // namespace kiln
