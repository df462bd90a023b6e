#include "passes/wg/ItemLoops.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Dominance.h"
#include "passes/analysis/NotVectorized.h"
#include "passes/analysis/Size.h"
#include "passes/wg/Queries.h"

using namespace mlir;

namespace kiln {
namespace {

class ItemLoops {
public:
  ItemLoops(wg::ParallelOp parallel, GroupFunction &group, Slots &slots, bool isLargeKernel)
      : parallel_(parallel), group_(group), slots_(slots), builder_(group.builder), inner_(parallel.rowDimension()),
        middle_(inner_ == 0 ? 1 : 0), outer_(inner_ == 2 ? 1 : 2), isLargeKernel_(isLargeKernel),
        staysScalar_(hasMoreOperations(parallel.getBody(), MaxLlvmLoopOps) || parallel->hasAttr(NotVectorizedAttr)),
        loop_(LLVM::AccessGroupAttr::get(builder_.getContext(), DistinctAttr::create(builder_.getUnitAttr()))),
        independent_(builder_.getArrayAttr(loop_)) {}

  Block *run() {
    before_ = parallel_->getBlock();
    after_ = before_->splitBlock(parallel_);
    builder_.setInsertionPointToEnd(before_);
    zero_ = group_.constant(0), one_ = group_.constant(1);
    Item item;
    Value vectorEnd = endOfVectors();
    Block *row = openRows(item);
    if (hasOne(inner_))
      emitItem(row, item);
    else
      emitRow(item, vectorEnd);
    rowEnd_->moveBefore(after_); // blocks in execution order
    closeRows(row, item);
    parallel_.erase();
    return after_;
  }

private:
  // Creates a block after the blocks created so far.
  Block *newBlock(unsigned numbers = 0) {
    Block *block = new Block;
    block->addArguments(SmallVector<Type>(numbers, group_.i64), SmallVector<Location>(numbers, group_.loc));
    before_->getParent()->getBlocks().insert(Region::iterator(after_), block);
    return block;
  }

  bool hasOne(unsigned dim) const { return !group_.fixedSize.empty() && group_.fixedSize[dim] == 1; }

  // Begins the loop over rows, which also carries their two ids if the region uses them. Returns the block of one row.
  Block *openRows(Item &item) {
    if (hasOne(middle_) && hasOne(outer_)) {
      item.id[middle_] = item.id[outer_] = rowStart_ = zero_;
      return before_;
    }
    const bool usesIds = inner_ != 0 || usesYOrZ(parallel_.getBody());
    const bool carriesIds = !hasOne(middle_) && !hasOne(outer_) && usesIds;
    Block *row = newBlock(carriesIds ? 3 : 1);
    const std::optional<uint64_t> jam = parallel_.getJam();
    rows_ = jam ? group_.constant(group_.fixedSize[1] / int64_t(*jam))
                : group_.mul(group_.size[middle_], group_.size[outer_]);
    cf::BranchOp::create(builder_, group_.loc, row, SmallVector<Value>(row->getNumArguments(), zero_));
    Value index = row->getArgument(0);
    builder_.setInsertionPointToEnd(row);
    if (jam)
      index = group_.mul(index, group_.constant(int64_t(*jam)));
    item.id[middle_] = carriesIds ? row->getArgument(1) : hasOne(middle_) ? zero_ : index;
    item.id[outer_] = carriesIds ? row->getArgument(2) : hasOne(outer_) ? zero_ : index;
    rowStart_ = group_.mul(index, group_.size[0]);
    return row;
  }

  // The linear local id of a row's work-item.
  Value linearId(const Item &item) {
    if (inner_ == 0)
      return group_.add(rowStart_, item.id[0]);
    Value row = group_.add(group_.mul(item.id[2], group_.size[1]), item.id[1]);
    return group_.add(group_.mul(row, group_.size[0]), item.id[0]);
  }

  // The id at which the whole vectors of a row end; null if there is no vector body.
  Value endOfVectors() {
    if (!parallel_.getLanes() || hasOne(inner_))
      return {};
    const int64_t lanes = int64_t(*parallel_.getLanes());
    Value end = arith::AndIOp::create(builder_, group_.loc, group_.size[inner_], group_.constant(-lanes));
    if (parallel_.getIdsFitI32())
      end = arith::SelectOp::create(builder_, group_.loc, group_.idsFitI32(), end, zero_);
    return end;
  }

  // Emits the body for a row of one work-item.
  void emitItem(Block *row, Item &item) {
    item.id[inner_] = zero_, item.linear = linearId(item);
    rowEnd_ = newBlock();
    emitBody(parallel_.getBody(), row, item, rowEnd_);
  }

  // A loop over vectors, and a scalar loop over the tail of the row or over a vector that falls back. x is the id in
  // the dimension of the row.
  //
  //   row(x):         vectors(x) while whole vectors are left, then scalar(x, end of the row)
  //   vectors(x):     the vector body; if it falls back, scalar(x, x + lanes)
  //   scalar(x, end): the scalar body for [x, end), then row(end)
  void emitRow(Item &item, Value vectorEnd) {
    rowEnd_ = newBlock();
    scalar_ = newBlock(vectorEnd ? 2 : 1);
    if (!vectorEnd) {
      cf::BranchOp::create(builder_, group_.loc, scalar_, zero_);
      return emitLoop(parallel_.getBody(), scalar_, item, group_.size[inner_], 1, rowEnd_,
                      annotationFor(loop_, staysScalar_));
    }
    Block *row = newBlock(1), *vectors = newBlock(1), *tail = newBlock(1), *vectorsEnd = newBlock();
    cf::BranchOp::create(builder_, group_.loc, row, zero_);
    builder_.setInsertionPointToEnd(row);
    Value x = row->getArgument(0);
    cf::CondBranchOp::create(builder_, group_.loc, group_.isLess(x, vectorEnd), vectors, x, tail, x);
    lanes_ = int64_t(*parallel_.getLanes());
    emitLoop(parallel_.getVectorBody(), vectors, item, vectorEnd, lanes_, vectorsEnd, vectorLoopAnnotation());
    builder_.setInsertionPointToEnd(vectorsEnd);
    cf::BranchOp::create(builder_, group_.loc, tail, vectorEnd);
    builder_.setInsertionPointToEnd(tail);
    x = tail->getArgument(0);
    cf::CondBranchOp::create(builder_, group_.loc, group_.isLess(x, group_.size[inner_]), scalar_,
                             ValueRange{x, group_.size[inner_]}, rowEnd_, ValueRange());
    Block *scalarEnd = newBlock();
    Value end = scalar_->getArgument(1);
    disableUnrolling(parallel_.getBody());
    emitLoop(parallel_.getBody(), scalar_, item, end, 1, scalarEnd, vectorLoopAnnotation());
    builder_.setInsertionPointToEnd(scalarEnd);
    if (fallsBack_)
      cf::CondBranchOp::create(builder_, group_.loc, group_.isLess(end, group_.size[inner_]), row, end, rowEnd_,
                               ValueRange());
    else
      cf::BranchOp::create(builder_, group_.loc, rowEnd_);
  }

  // Disables unrolling of the scalar body's loops: it runs a few work-items, not worth LLVM's time.
  void disableUnrolling(Region &body) {
    DominanceInfo dominance(parallel_);
    const LLVM::LoopAnnotationAttr annotation = annotationFor({}, /*staysScalar=*/true, /*unrolls=*/false);
    for (Block &block : body) {
      Operation *end = block.getTerminator();
      if (llvm::none_of(block.getSuccessors(), [&](Block *next) { return dominance.dominates(next, &block); }))
        continue;
      OpBuilder b(end);
      if (auto branch = dyn_cast<cf::BranchOp>(end)) {
        auto made = LLVM::BrOp::create(b, end->getLoc(), branch.getDestOperands(), branch.getDest());
        made.setLoopAnnotationAttr(annotation);
      } else if (auto either = dyn_cast<cf::CondBranchOp>(end)) {
        auto made =
            LLVM::CondBrOp::create(b, end->getLoc(), either.getCondition(), either.getTrueDest(),
                                   either.getTrueDestOperands(), either.getFalseDest(), either.getFalseDestOperands());
        made.setLoopAnnotationAttr(annotation);
      } else {
        continue;
      }
      end->erase();
    }
  }

  // Emits a loop from the head's first argument, which is below `end`.
  void emitLoop(Region &body, Block *head, Item &item, Value end, int64_t step, Block *next,
                LLVM::LoopAnnotationAttr annotation) {
    builder_.setInsertionPointToEnd(head);
    item.id[inner_] = head->getArgument(0);
    item.linear = linearId(item);
    Block *latch = newBlock();
    emitBody(body, head, item, latch);
    count(latch, item.id[inner_], end, head, head->getArguments().drop_front(), next, annotation, step);
  }

  // Emits the body between `head` and `end`, to which all its yields branch.
  void emitBody(Region &body, Block *head, const Item &item, Block *end) {
    Block *first = &body.front();
    lowerAccesses(body, item.linear);
    lowerQueries(body, group_, item);
    builder_.setInsertionPointToEnd(head);
    if (Value mask = parallel_.getMask();
        mask && &body == &parallel_.getBody()) // the vector body loads the mask itself
      cf::CondBranchOp::create(builder_, group_.loc, slots_.load(mask, item.linear, independent_), first, end);
    else
      cf::BranchOp::create(builder_, group_.loc, first);
    for (Block &block : body)
      if (auto yield = dyn_cast<wg::YieldOp>(block.getTerminator())) {
        OpBuilder branch(yield);
        if (yield.getDone() && &body == &parallel_.getVectorBody())
          emitFallback(branch, yield, item, end);
        else if (yield.getMore())
          cf::CondBranchOp::create(branch, yield.getLoc(), yield.getMore(), end, rowEnd_);
        else
          cf::BranchOp::create(branch, yield.getLoc(), end);
        yield.erase();
      }
    before_->getParent()->getBlocks().splice(Region::iterator(end), body.getBlocks());
  }

  void emitFallback(OpBuilder &b, wg::YieldOp yield, const Item &item, Block *next) {
    fallsBack_ = true;
    Block *fallback = newBlock();
    cf::CondBranchOp::create(b, yield.getLoc(), yield.getDone(), next, fallback);
    builder_.setInsertionPointToEnd(fallback);
    cf::CondBranchOp::create(builder_, yield.getLoc(), yield.getMore(), scalar_,
                             ValueRange{item.id[inner_], group_.add(item.id[inner_], group_.constant(lanes_))}, rowEnd_,
                             ValueRange());
  }

  // Lowers slot accesses to accesses to this work-item's element. All accesses of the region except those to private
  // variables are in the loop's access group, whose iterations are independent.
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
    builder_.setInsertionPointToEnd(rowEnd_);
    if (row == before_) {
      cf::BranchOp::create(builder_, group_.loc, after_);
      return;
    }
    SmallVector<Value> alsoCarried;
    if (row->getNumArguments() > 1) { // increment the middle id, and the outer one when that wraps around
      Value next = group_.add(item.id[middle_], one_), wraps = group_.isSame(next, group_.size[middle_]);
      alsoCarried.push_back(arith::SelectOp::create(builder_, group_.loc, wraps, zero_, next));
      alsoCarried.push_back(
          group_.add(item.id[outer_], arith::ExtUIOp::create(builder_, group_.loc, group_.i64, wraps)));
    }
    LLVM::LoopAnnotationAttr annotation;
    if (hasOne(inner_)) // the only loop
      annotation = annotationFor(loop_, staysScalar_);
    else if (isLargeKernel_)
      annotation = annotationFor({}, /*staysScalar=*/false);
    count(rowEnd_, row->getArgument(0), rows_, row, alsoCarried, after_, annotation);
  }

  void count(Block *latch, Value index, Value limit, Block *head, ValueRange alsoCarried, Block *next,
             LLVM::LoopAnnotationAttr annotation, int64_t step = 1) {
    builder_.setInsertionPointToEnd(latch);
    SmallVector<Value> carried{LLVM::AddOp::create(builder_, group_.loc, index, group_.constant(step),
                                                   LLVM::IntegerOverflowFlags::nuw | LLVM::IntegerOverflowFlags::nsw)};
    carried.append(alsoCarried.begin(), alsoCarried.end());
    Value more = group_.isLess(carried[0], limit);
    auto branch = LLVM::CondBrOp::create(builder_, group_.loc, more, head, carried, next, ValueRange());
    if (annotation)
      branch.setLoopAnnotationAttr(annotation);
  }

  // LLVM's vectoriser has nothing to gain in a loop over vectors, or in one that is shorter than a vector.
  LLVM::LoopAnnotationAttr vectorLoopAnnotation() {
    return annotationFor(loop_, /*staysScalar=*/true, /*unrolls=*/!group_.fixedSize.empty());
  }

  // The loop metadata. `independent`: the access group whose iterations are independent.
  LLVM::LoopAnnotationAttr annotationFor(LLVM::AccessGroupAttr independent, bool staysScalar, bool unrolls = true) {
    MLIRContext *context = builder_.getContext();
    BoolAttr yes = builder_.getBoolAttr(true);
    LLVM::LoopVectorizeAttr vectorize;
    LLVM::LoopUnrollAttr unroll;
    if (staysScalar)
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
  const unsigned inner_, middle_, outer_; // dimensions, in the order in which ids rise: a row's first
  const bool isLargeKernel_;
  const bool staysScalar_;     // LLVM's vectoriser leaves the region: it is large, or Kiln's has estimated a loss
  LLVM::AccessGroupAttr loop_; // the accesses of the loop over a row
  ArrayAttr independent_;
  Block *before_ = nullptr, *after_ = nullptr;  // around the region
  Block *scalar_ = nullptr, *rowEnd_ = nullptr; // the scalar loop, and the end of a row
  int64_t lanes_ = 1;
  bool fallsBack_ = false;             // the vector body may fall back
  Value zero_, one_, rows_, rowStart_; // rowStart_: the linear id of a row's first work-item if rows are along x
};

} // namespace

Block *loopOverItems(wg::ParallelOp parallel, GroupFunction &group, Slots &slots, bool isLargeKernel) {
  return ItemLoops(parallel, group, slots, isLargeKernel).run();
}

} // namespace kiln
