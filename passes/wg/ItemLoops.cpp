#include "passes/wg/ItemLoops.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Dominance.h"
#include "passes/wg/Queries.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned MaxVectorOps = 3000;

class ItemLoops {
public:
  ItemLoops(wg::ParallelOp parallel, GroupFunction &group, Slots &slots, bool isLargeKernel)
      : parallel_(parallel), group_(group), slots_(slots), builder_(group.builder), isLargeKernel_(isLargeKernel),
        isLargeRegion_(isTooLargeForVectors(parallel.getBody())),
        loop_(LLVM::AccessGroupAttr::get(builder_.getContext(), DistinctAttr::create(builder_.getUnitAttr()))),
        independent_(builder_.getArrayAttr(loop_)) {}

  Block *run() {
    before_ = parallel_->getBlock();
    after_ = before_->splitBlock(parallel_);
    builder_.setInsertionPointToEnd(before_);
    zero_ = group_.constant(0), one_ = group_.constant(1);
    Item item;
    Value wideEnd = endOfVectors();
    Block *row = openRows(item);
    if (hasOne(0))
      putItem(row, item);
    else
      putRow(item, wideEnd);
    behindX_->moveBefore(after_); // where a reader looks for it
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
    const std::optional<uint64_t> together = parallel_.getRows();
    rows_ = together ? group_.constant(group_.fixedSize[1] / int64_t(*together))
                     : group_.mul(group_.size[1], group_.size[2]);
    cf::BranchOp::create(builder_, group_.loc, row, SmallVector<Value>(row->getNumArguments(), zero_));
    Value index = row->getArgument(0);
    builder_.setInsertionPointToEnd(row);
    if (together)
      index = group_.mul(index, group_.constant(int64_t(*together)));
    item.id[1] = counts ? row->getArgument(1) : hasOne(1) ? zero_ : index;
    item.id[2] = counts ? row->getArgument(2) : hasOne(2) ? zero_ : index;
    rowStart_ = group_.mul(index, group_.size[0]);
    return row;
  }

  // Where whole vectors of a row end; null without any.
  Value endOfVectors() {
    if (!parallel_.getLanes() || hasOne(0))
      return {};
    const int64_t lanes = int64_t(*parallel_.getLanes());
    Value end = arith::AndIOp::create(builder_, group_.loc, group_.size[0], group_.constant(-lanes));
    if (parallel_.getSmallIds())
      end = arith::SelectOp::create(builder_, group_.loc, group_.hasSmallIds(), end, zero_);
    return end;
  }

  // The code of a row's only work-item.
  void putItem(Block *row, Item &item) {
    item.id[0] = zero_, item.linear = rowStart_;
    behindX_ = newBlock();
    putBody(parallel_.getBody(), row, item, behindX_);
  }

  // A loop over vectors, and one over what they leave: the end of the row, or a vector whose lanes do not go together.
  //
  //   row(x):       vectors(x) while there are whole ones, then rest(x, end of the row)
  //   vectors(x):   all lanes together; where they do not go together, rest(x, x + lanes)
  //   rest(x, end): one by one, then row(end)
  void putRow(Item &item, Value wideEnd) {
    behindX_ = newBlock();
    rest_ = newBlock(wideEnd ? 2 : 1);
    if (!wideEnd) {
      cf::BranchOp::create(builder_, group_.loc, rest_, zero_);
      return putLoop(parallel_.getBody(), rest_, item, group_.size[0], 1, behindX_, note(loop_, isLargeRegion_));
    }
    Block *row = newBlock(1), *vectors = newBlock(1), *tail = newBlock(1), *behindVectors = newBlock();
    cf::BranchOp::create(builder_, group_.loc, row, zero_);
    builder_.setInsertionPointToEnd(row);
    Value x = row->getArgument(0);
    cf::CondBranchOp::create(builder_, group_.loc, group_.isLess(x, wideEnd), vectors, x, tail, x);
    lanes_ = int64_t(*parallel_.getLanes());
    putLoop(parallel_.getWide(), vectors, item, wideEnd, lanes_, behindVectors, noteOfVectors());
    builder_.setInsertionPointToEnd(behindVectors);
    cf::BranchOp::create(builder_, group_.loc, tail, wideEnd);
    builder_.setInsertionPointToEnd(tail);
    x = tail->getArgument(0);
    cf::CondBranchOp::create(builder_, group_.loc, group_.isLess(x, group_.size[0]), rest_,
                             ValueRange{x, group_.size[0]}, behindX_, ValueRange());
    Block *behindRest = newBlock();
    Value end = rest_->getArgument(1);
    keepLoops(parallel_.getBody());
    putLoop(parallel_.getBody(), rest_, item, end, 1, behindRest, noteOfVectors());
    builder_.setInsertionPointToEnd(behindRest);
    if (leavesVectors_)
      cf::CondBranchOp::create(builder_, group_.loc, group_.isLess(end, group_.size[0]), row, end, behindX_,
                               ValueRange());
    else
      cf::BranchOp::create(builder_, group_.loc, behindX_);
  }

  // What a few work-items do one by one is not worth the time that LLVM takes to unroll it.
  void keepLoops(Region &body) {
    DominanceInfo dominance(parallel_);
    const LLVM::LoopAnnotationAttr said = note({}, /*isLargeRegion=*/true, /*unrolls=*/false);
    for (Block &block : body) {
      Operation *end = block.getTerminator();
      if (llvm::none_of(block.getSuccessors(), [&](Block *next) { return dominance.dominates(next, &block); }))
        continue;
      OpBuilder b(end);
      if (auto branch = dyn_cast<cf::BranchOp>(end)) {
        auto made = LLVM::BrOp::create(b, end->getLoc(), branch.getDestOperands(), branch.getDest());
        made.setLoopAnnotationAttr(said);
      } else if (auto either = dyn_cast<cf::CondBranchOp>(end)) {
        auto made =
            LLVM::CondBrOp::create(b, end->getLoc(), either.getCondition(), either.getTrueDest(),
                                   either.getTrueDestOperands(), either.getFalseDest(), either.getFalseDestOperands());
        made.setLoopAnnotationAttr(said);
      } else {
        continue;
      }
      end->erase();
    }
  }

  // From the head's first argument on, which is below the end.
  void putLoop(Region &body, Block *head, Item &item, Value end, int64_t step, Block *behind,
               LLVM::LoopAnnotationAttr said) {
    builder_.setInsertionPointToEnd(head);
    item.id[0] = head->getArgument(0);
    item.linear = group_.add(rowStart_, item.id[0]);
    Block *latch = newBlock();
    putBody(body, head, item, latch);
    count(latch, item.id[0], end, head, head->getArguments().drop_front(), behind, said, step);
  }

  // The body between the block where it begins and the one where all its ways end.
  void putBody(Region &body, Block *head, const Item &item, Block *end) {
    Block *first = &body.front();
    lowerAccesses(body, item.linear);
    answerQueries(body, group_, item);
    builder_.setInsertionPointToEnd(head);
    if (Value mask = parallel_.getMask(); mask && &body == &parallel_.getBody()) // vectors ask for it themselves
      cf::CondBranchOp::create(builder_, group_.loc, slots_.load(mask, item.linear, independent_), first, end);
    else
      cf::BranchOp::create(builder_, group_.loc, first);
    for (Block &block : body)
      if (auto yield = dyn_cast<wg::YieldOp>(block.getTerminator())) {
        OpBuilder branch(yield);
        if (yield.getDone())
          leaveVectors(branch, yield, item, end);
        else
          cf::BranchOp::create(branch, yield.getLoc(), end);
        yield.erase();
      }
    before_->getParent()->getBlocks().splice(Region::iterator(end), body.getBlocks());
  }

  void leaveVectors(OpBuilder &b, wg::YieldOp yield, const Item &item, Block *next) {
    leavesVectors_ = true;
    Block *undone = newBlock();
    cf::CondBranchOp::create(b, yield.getLoc(), yield.getDone(), next, undone);
    builder_.setInsertionPointToEnd(undone);
    cf::CondBranchOp::create(builder_, yield.getLoc(), yield.getMore(), rest_,
                             ValueRange{item.id[0], group_.add(item.id[0], group_.constant(lanes_))}, behindX_,
                             ValueRange());
  }

  // Slot accesses become memory accesses of this work-item's element. All accesses of the region, but those of private
  // variables, belong to the loop's group of independent ones.
  void lowerAccesses(Region &body, Value linear) {
    SmallVector<Operation *> slotAccesses;
    body.walk([&](Operation *op) {
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

  void count(Block *latch, Value index, Value limit, Block *head, ValueRange alsoCarried, Block *next,
             LLVM::LoopAnnotationAttr note, int64_t step = 1) {
    builder_.setInsertionPointToEnd(latch);
    SmallVector<Value> carried{LLVM::AddOp::create(builder_, group_.loc, index, group_.constant(step),
                                                   LLVM::IntegerOverflowFlags::nuw | LLVM::IntegerOverflowFlags::nsw)};
    carried.append(alsoCarried.begin(), alsoCarried.end());
    Value more = group_.isLess(carried[0], limit);
    auto branch = LLVM::CondBrOp::create(builder_, group_.loc, more, head, carried, next, ValueRange());
    if (note)
      branch.setLoopAnnotationAttr(note);
  }

  // There is nothing left for LLVM's vectoriser in a loop over vectors, nor in what is too short for one.
  LLVM::LoopAnnotationAttr noteOfVectors() {
    return note(loop_, /*isLargeRegion=*/true, /*unrolls=*/!group_.fixedSize.empty());
  }

  // What LLVM is told of a loop; `independent`: the accesses that do not depend on other iterations'.
  LLVM::LoopAnnotationAttr note(LLVM::AccessGroupAttr independent, bool isLargeRegion, bool unrolls = true) {
    MLIRContext *context = builder_.getContext();
    BoolAttr yes = builder_.getBoolAttr(true);
    LLVM::LoopVectorizeAttr vectorize;
    LLVM::LoopUnrollAttr unroll;
    if (isLargeRegion)
      vectorize = LLVM::LoopVectorizeAttr::get(context, /*disable=*/yes, {}, {}, {}, {}, {}, {});
    if (isLargeKernel_ || !unrolls)
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
  Block *before_ = nullptr, *after_ = nullptr; // where the region stood
  Block *rest_ = nullptr, *behindX_ = nullptr; // work-items one by one, and the end of a row
  int64_t lanes_ = 1;
  bool leavesVectors_ = false; // before the row's end
  Value zero_, one_, rows_, rowStart_;
};

} // namespace

Block *loopOverItems(wg::ParallelOp parallel, GroupFunction &group, Slots &slots, bool isLargeKernel) {
  return ItemLoops(parallel, group, slots, isLargeKernel).run();
}

bool isTooLargeForVectors(Region &region) {
  unsigned count = 0;
  return region
      .walk([&](Operation *) { return ++count > MaxVectorOps ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

} // namespace kiln
