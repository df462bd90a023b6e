#include "passes/wg/ItemLoops.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "passes/wg/Queries.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned MaxVectorOps = 3000;

class ItemLoops {
public:
  ItemLoops(wg::ParallelOp parallel, GroupFunction &group, Slots &slots, bool isLargeKernel)
      : parallel_(parallel), group_(group), slots_(slots), builder_(group.builder), isLargeKernel_(isLargeKernel),
        isLargeRegion_(isTooLargeForVectors(parallel)),
        loop_(LLVM::AccessGroupAttr::get(builder_.getContext(), DistinctAttr::create(builder_.getUnitAttr()))),
        independent_(builder_.getArrayAttr(loop_)) {}

  Block *run() {
    before_ = parallel_->getBlock();
    after_ = before_->splitBlock(parallel_);
    builder_.setInsertionPointToEnd(before_);
    zero_ = group_.constant(0), one_ = group_.constant(1);
    Item item;
    Block *row = openRows(item);
    openX(row, item);
    putBody(item);
    closeX(item);
    closeRows(row, item);
    parallel_.erase();
    return after_;
  }

private:
  // A new block at the end of what has been made.
  Block *newBlock(unsigned numbers = 0) {
    Block *block = new Block;
    block->addArguments(SmallVector<Type>(numbers, group_.i64), SmallVector<Location>(numbers, group_.loc));
    before_->getParent()->getBlocks().insert(Region::iterator(after_), block);
    return block;
  }

  bool hasOne(unsigned dim) const { return !group_.fixedSize.empty() && group_.fixedSize[dim] == 1; }

  // The loop over rows counts them, and y and z beside them where somebody asks: gives the block of one row.
  Block *openRows(Item &item) {
    if (hasOne(1) && hasOne(2)) {
      item.id[1] = item.id[2] = rowStart_ = zero_;
      return before_;
    }
    bool counts = !hasOne(1) && !hasOne(2) && asksForRow(parallel_.getBody());
    Block *row = newBlock(counts ? 3 : 1);
    rows_ = group_.mul(group_.size[1], group_.size[2]);
    cf::BranchOp::create(builder_, group_.loc, row, SmallVector<Value>(row->getNumArguments(), zero_));
    Value index = row->getArgument(0);
    item.id[1] = counts ? row->getArgument(1) : hasOne(1) ? zero_ : index;
    item.id[2] = counts ? row->getArgument(2) : hasOne(2) ? zero_ : index;
    builder_.setInsertionPointToEnd(row);
    rowStart_ = group_.mul(index, group_.size[0]);
    return row;
  }

  void openX(Block *row, Item &item) {
    x_ = row;
    if (hasOne(0)) {
      item.id[0] = zero_, item.linear = rowStart_;
      return;
    }
    x_ = newBlock(1);
    cf::BranchOp::create(builder_, group_.loc, x_, zero_);
    builder_.setInsertionPointToEnd(x_);
    item.id[0] = x_->getArgument(0);
    item.linear = group_.add(rowStart_, item.id[0]);
  }

  // The body between the loop's head and its latch.
  void putBody(const Item &item) {
    Region &body = parallel_.getBody();
    Block *first = &body.front();
    lowerAccesses(item.linear);
    answerQueries(body, group_, item);
    latch_ = newBlock();
    builder_.setInsertionPointToEnd(x_);
    if (Value mask = parallel_.getMask())
      cf::CondBranchOp::create(builder_, group_.loc, slots_.load(mask, item.linear, independent_), first, latch_);
    else
      cf::BranchOp::create(builder_, group_.loc, first);
    for (Block &block : body)
      if (auto yield = dyn_cast<wg::YieldOp>(block.getTerminator())) {
        OpBuilder end(yield);
        cf::BranchOp::create(end, yield.getLoc(), latch_);
        yield.erase();
      }
    before_->getParent()->getBlocks().splice(Region::iterator(latch_), body.getBlocks());
  }

  // Slot accesses become memory accesses of this work-item's element. All accesses of the region, but those of private
  // variables, belong to the loop's group of independent ones.
  void lowerAccesses(Value linear) {
    SmallVector<Operation *> slotAccesses;
    parallel_.getBody().walk([&](Operation *op) {
      auto isIndependent = [&](Value address) {
        unsigned space = cast<LLVM::LLVMPointerType>(address.getType()).getAddressSpace();
        return space != ocl::Private && space != ocl::Generic;
      };
      if (auto load = dyn_cast<LLVM::LoadOp>(op); load && isIndependent(load.getAddr()))
        load.setAccessGroupsAttr(independent_);
      else if (auto store = dyn_cast<LLVM::StoreOp>(op); store && isIndependent(store.getAddr()))
        store.setAccessGroupsAttr(independent_);
      else if (isa<wg::LoadOp, wg::StoreOp, wg::AddressOp, wg::ReadOp>(op))
        slotAccesses.push_back(op);
    });
    for (Operation *access : slotAccesses)
      slots_.lower(access, linear, independent_);
  }

  void closeX(const Item &item) {
    behindX_ = latch_;
    if (hasOne(0))
      return;
    behindX_ = newBlock();
    count(latch_, item.id[0], group_.size[0], x_, {}, behindX_, note(loop_, isLargeRegion_));
  }

  void closeRows(Block *row, const Item &item) {
    builder_.setInsertionPointToEnd(behindX_);
    if (row == before_) {
      cf::BranchOp::create(builder_, group_.loc, after_);
      return;
    }
    SmallVector<Value> alsoCarried;
    if (row->getNumArguments() > 1) { // y counts on, and z where y starts again
      Value y = group_.add(item.id[1], one_), wraps = group_.isSame(y, group_.size[1]);
      alsoCarried.push_back(arith::SelectOp::create(builder_, group_.loc, wraps, zero_, y));
      alsoCarried.push_back(group_.add(item.id[2], arith::ExtUIOp::create(builder_, group_.loc, group_.i64, wraps)));
    }
    LLVM::LoopAnnotationAttr said;
    if (hasOne(0)) // the only loop
      said = note(loop_, isLargeRegion_);
    else if (isLargeKernel_)
      said = note({}, false);
    count(behindX_, row->getArgument(0), rows_, row, alsoCarried, after_, said);
  }

  void count(Block *latch, Value index, Value limit, Block *head, ArrayRef<Value> alsoCarried, Block *next,
             LLVM::LoopAnnotationAttr note) {
    builder_.setInsertionPointToEnd(latch);
    SmallVector<Value> carried{LLVM::AddOp::create(builder_, group_.loc, index, one_,
                                                   LLVM::IntegerOverflowFlags::nuw | LLVM::IntegerOverflowFlags::nsw)};
    carried.append(alsoCarried.begin(), alsoCarried.end());
    Value more = group_.isLess(carried[0], limit);
    auto branch = LLVM::CondBrOp::create(builder_, group_.loc, more, head, carried, next, ValueRange());
    if (note)
      branch.setLoopAnnotationAttr(note);
  }

  // What LLVM is told of a loop; `independent`: the accesses that do not depend on other iterations'.
  LLVM::LoopAnnotationAttr note(LLVM::AccessGroupAttr independent, bool isLargeRegion) {
    MLIRContext *context = builder_.getContext();
    BoolAttr yes = builder_.getBoolAttr(true);
    LLVM::LoopVectorizeAttr vectorize;
    LLVM::LoopUnrollAttr unroll;
    if (isLargeRegion)
      vectorize = LLVM::LoopVectorizeAttr::get(context, /*disable=*/yes, {}, {}, {}, {}, {}, {});
    if (isLargeKernel_)
      unroll = LLVM::LoopUnrollAttr::get(context, /*disable=*/yes, {}, {}, {}, {}, {}, {});
    SmallVector<LLVM::AccessGroupAttr> groups;
    if (independent)
      groups.push_back(independent);
    return LLVM::LoopAnnotationAttr::get(context, /*disableNonforced=*/{}, vectorize, /*interleave=*/{}, unroll,
                                         /*unrollAndJam=*/{}, /*licm=*/{}, /*distribute=*/{}, /*pipeline=*/{},
                                         /*peeled=*/{}, /*unswitch=*/{}, /*mustProgress=*/{}, /*isVectorized=*/{},
                                         /*startLoc=*/{}, /*endLoc=*/{}, /*parallelAccesses=*/groups);
  }

  wg::ParallelOp parallel_;
  GroupFunction &group_;
  Slots &slots_;
  OpBuilder &builder_;
  const bool isLargeKernel_, isLargeRegion_;
  LLVM::AccessGroupAttr loop_; // the accesses of the loop over x
  ArrayAttr independent_;
  Block *before_ = nullptr, *after_ = nullptr;                 // where the region stood
  Block *x_ = nullptr, *latch_ = nullptr, *behindX_ = nullptr; // the loop over x, or the code of its only work-item
  Value zero_, one_, rows_, rowStart_;
};

} // namespace

Block *loopOverItems(wg::ParallelOp parallel, GroupFunction &group, Slots &slots, bool isLargeKernel) {
  return ItemLoops(parallel, group, slots, isLargeKernel).run();
}

bool isTooLargeForVectors(Operation *op) {
  unsigned count = 0;
  return op->walk([&](Operation *) { return ++count > MaxVectorOps ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

} // namespace kiln
