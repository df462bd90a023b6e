// Splits a kernel at its barriers by storing a resume point for each work-item.
//
//   ^a:                              scf.while {
//     A                                wg.parallel {
//     ocl.barrier local                  switch (point): ^entry, ^resume
//     B                       ==>        ^a: A; point = 1; wg.yield
//     cf.cond_br %c, ^a, ^end            ^resume: B; cf.cond_br %c, ^a, ^end
//   ^end:                                ^end: running = false; wg.yield
//     return                           }
//                                      scf.condition(wg.any running)
//                                    }
//
// Each iteration runs every work-item that has not returned from its resume point to its next barrier; the end of the
// region is the barrier. The specification requires that all work-items of a group execute the same barrier. If a
// kernel violates this, each work-item still advances in every iteration, and the kernel ends.
//
// Handles any graph in O(n) time, but costs a switch per iteration, and memory for values that live across a barrier.
// So structured kernels go through FormRegions.cpp, which keeps uniform values; this is for kernels that would take too
// long to structurize.
//
// A value that is used after a barrier is stored where it is defined and loaded in each block that uses it. That is
// always correct, so the search for such uses may give up early. Uniform values are computed once, before the loop.
// Private variables are slots.
#include "passes/cpu/ResumePoints.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "dialects/wg/Wg.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/analysis/Uniformity.h"
#include "passes/cpu/SlotType.h"
#include "passes/cpu/TrackGroups.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;

namespace kiln {
namespace {

// Blocks that are searched per value to find a barrier between definition and use. The limit keeps the time O(n) in the
// number of values.
constexpr unsigned MaxSearch = 512;

class ResumePoints {
public:
  ResumePoints(func::FuncOp kernel, Barriers &barriers, bool tracksGroups)
      : kernel_(kernel), barriers_(barriers), tracksGroups_(tracksGroups), loc_(kernel.getLoc()),
        body_(kernel.getBody()) {}

  LogicalResult run() {
    if (failed(flatten()))
      return failure();
    createEntry();
    hoistGroupValues();
    if (failed(splitAtBarriers()))
      return failure();
    spill();
    makeBarrierLoop();
    return success();
  }

private:
  // Lowers scf back to cf: structurized functions have been inlined into the kernel.
  LogicalResult flatten() {
    RewritePatternSet patterns(kernel_.getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    ConversionTarget target(*kernel_.getContext());
    target.addIllegalOp<scf::IfOp, scf::WhileOp, scf::ForOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    return applyPartialConversion(kernel_, target, std::move(patterns));
  }

  // Creates the entry block, which runs once per group.
  void createEntry() {
    first_ = &body_.front();
    entry_ = new Block;
    body_.push_front(entry_);
    for (BlockArgument argument : first_->getArguments())
      argument.replaceAllUsesWith(entry_->addArgument(argument.getType(), argument.getLoc()));
    first_->eraseArguments(0, first_->getNumArguments());
  }

  Value newSlot(Type type) {
    auto builder = OpBuilder::atBlockBegin(entry_);
    return wg::SlotOp::create(builder, loc_, wg::SlotType::get(type));
  }

  void hoistGroupValues() {
    Uniformity uniformity(kernel_);
    OpBuilder builder = OpBuilder::atBlockEnd(entry_);
    // The entry branches to the body during this walk only: in reverse post-order, definitions come before uses.
    auto bridge = cf::BranchOp::create(builder, loc_, first_);
    for (Block *block : llvm::ReversePostOrderTraversal<Block *>(entry_))
      for (Operation &op : llvm::make_early_inc_range(*block)) {
        auto isOutside = [&](Value operand) { return operand.getParentBlock() == entry_; };
        auto varies = [&](Value result) { return uniformity.isVarying(result); };
        if (block != entry_ && op.getNumRegions() == 0 && isPure(&op) && !op.hasTrait<OpTrait::IsTerminator>() &&
            llvm::all_of(op.getOperands(), isOutside) && llvm::none_of(op.getResults(), varies))
          op.moveBefore(bridge);
      }
    bridge.erase();
  }

  // Splits blocks after each barrier. Until `makeBarrierLoop`, the first part branches to the second.
  LogicalResult splitAtBarriers() {
    SmallVector<ocl::BarrierOp> barriers;
    for (Block &block : body_)
      for (Operation &op : block)
        if (auto barrier = dyn_cast<ocl::BarrierOp>(op); barrier && barrier.getExecution() == ocl::Scope::work_group)
          barriers.push_back(barrier);
        else if (barriers_.contains(&op))
          return op.emitError("is a collective or a sub-group barrier, which a kernel of this size cannot contain");
    for (ocl::BarrierOp barrier : barriers) {
      Block *block = barrier->getBlock();
      Block *resume = block->splitBlock(std::next(barrier->getIterator()));
      OpBuilder builder(barrier);
      if (barrier.getScope() == ocl::Scope::device || barrier.getScope() == ocl::Scope::all_devices)
        ocl::FenceOp::create(builder, barrier.getLoc(), ocl::Order::acq_rel, barrier.getScope(), barrier.getFence());
      waits_.push_back({cf::BranchOp::create(builder, barrier.getLoc(), resume), resume});
      resumes_.insert(resume);
      barrier.erase();
    }
    return success();
  }

  // ---- values that live across a barrier
  // -------------------------------------------------------------------------------

  void spill() {
    SmallVector<Value> values;
    SmallVector<LLVM::AllocaOp> allocas;
    for (Block &block : body_) {
      if (&block == entry_)
        continue;
      llvm::append_range(values, block.getArguments());
      for (Operation &op : block)
        if (auto alloca = dyn_cast<LLVM::AllocaOp>(op))
          allocas.push_back(alloca);
        else
          llvm::append_range(values, op.getResults());
    }
    for (LLVM::AllocaOp alloca : allocas) {
      Value slot = newSlot(slotTypeFor(alloca));
      replaceInBlocks(alloca, nullptr, [&](OpBuilder &builder) -> Value {
        return wg::AddressOp::create(builder, alloca.getLoc(), alloca.getType(), slot);
      });
      alloca.erase();
    }
    for (Value value : values)
      if (crossesBarrier(value)) {
        Value slot = newSlot(value.getType());
        replaceInBlocks(value, value.getParentBlock(), [&](OpBuilder &builder) -> Value {
          return wg::LoadOp::create(builder, value.getLoc(), value.getType(), slot);
        });
        OpBuilder builder(kernel_.getContext());
        builder.setInsertionPointAfterValue(value);
        wg::StoreOp::create(builder, value.getLoc(), value, slot);
      }
  }

  Block *blockOf(OpOperand &use) { return body_.findAncestorBlockInRegion(*use.getOwner()->getBlock()); }

  // Replaces the value in every block that uses it, except `except`, by one that `make` creates at the block's start.
  void replaceInBlocks(Value value, Block *except, llvm::function_ref<Value(OpBuilder &)> make) {
    DenseMap<Block *, Value> known;
    for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
      Block *block = blockOf(use);
      if (block == except)
        continue;
      Value &here = known[block];
      if (!here) {
        OpBuilder builder = OpBuilder::atBlockBegin(block);
        here = make(builder);
      }
      use.set(here);
    }
  }

  // Returns true if a barrier may be between the definition and a use: searches backwards from the uses.
  bool crossesBarrier(Value value) {
    Block *home = value.getParentBlock();
    SmallPtrSet<Block *, 16> seen;
    SmallVector<Block *> work;
    auto visit = [&](Block *block) {
      if (block != home && seen.insert(block).second)
        work.push_back(block);
    };
    for (OpOperand &use : value.getUses())
      visit(blockOf(use));
    while (!work.empty()) {
      Block *block = work.pop_back_val();
      if (resumes_.contains(block) || seen.size() > MaxSearch)
        return true;
      for (Block *before : block->getPredecessors())
        visit(before);
    }
    return false;
  }

  // ---- the loop over barriers
  // ------------------------------------------------------------------------------------------

  void makeBarrierLoop() {
    MLIRContext *context = kernel_.getContext();
    Value point = newSlot(IntegerType::get(context, 32)), running = newSlot(IntegerType::get(context, 1));
    OpBuilder builder = OpBuilder::atBlockEnd(entry_);
    auto number = [&](OpBuilder &b, Location loc, int64_t value, unsigned bits) -> Value {
      return intConstant(b, loc, value, bits);
    };

    auto start = wg::ParallelOp::create(builder, loc_, Value());
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.createBlock(&start.getBody());
      wg::StoreOp::create(builder, loc_, number(builder, loc_, 0, 32), point);
      wg::StoreOp::create(builder, loc_, number(builder, loc_, 1, 1), running);
      wg::YieldOp::create(builder, loc_);
    }
    auto loop = scf::WhileOp::create(builder, loc_, TypeRange(), ValueRange());
    func::ReturnOp::create(builder, loc_);
    builder.createBlock(&loop.getBefore());
    auto region = wg::ParallelOp::create(builder, loc_, Value());
    if (tracksGroups_) { // work-items may be at different barriers, so these order everything
      ImplicitLocOpBuilder b(loc_, builder);
      trackBarrier(b, ocl::Fence::local | ocl::Fence::global);
    }
    Value any = wg::AnyOp::create(builder, loc_, builder.getI1Type(), running);
    scf::ConditionOp::create(builder, loc_, any, ValueRange());
    builder.createBlock(&loop.getAfter());
    scf::YieldOp::create(builder, loc_);

    Region &inside = region.getBody();
    inside.getBlocks().splice(inside.end(), body_.getBlocks(), std::next(body_.begin()), body_.end());
    SmallVector<int32_t> numbers{0};
    SmallVector<Block *> targets{first_};
    for (auto [branch, resume] : waits_) {
      numbers.push_back(int32_t(numbers.size()));
      targets.push_back(resume);
      OpBuilder end(branch);
      wg::StoreOp::create(end, branch->getLoc(), number(end, branch->getLoc(), numbers.back(), 32), point);
      wg::YieldOp::create(end, branch->getLoc());
      branch.erase();
    }
    for (Block &block : inside)
      if (auto exit = dyn_cast<func::ReturnOp>(block.getTerminator())) {
        OpBuilder end(exit);
        wg::StoreOp::create(end, exit.getLoc(), number(end, exit.getLoc(), 0, 1), running);
        wg::YieldOp::create(end, exit.getLoc());
        exit.erase();
      }
    // A switch to the work-item's resume point; none if it has returned.
    Block *head = builder.createBlock(&inside, inside.begin());
    Block *choose = builder.createBlock(first_), *finished = builder.createBlock(first_);
    builder.setInsertionPointToEnd(head);
    Value isRunning = wg::LoadOp::create(builder, loc_, builder.getI1Type(), running);
    cf::CondBranchOp::create(builder, loc_, isRunning, choose, finished);
    builder.setInsertionPointToEnd(choose);
    Value next = wg::LoadOp::create(builder, loc_, builder.getI32Type(), point);
    cf::SwitchOp::create(builder, loc_, next, finished, ValueRange(), numbers, targets,
                         SmallVector<ValueRange>(targets.size()));
    builder.setInsertionPointToEnd(finished);
    wg::YieldOp::create(builder, loc_);
  }

  func::FuncOp kernel_;
  Barriers &barriers_;
  const bool tracksGroups_;
  Location loc_;
  Region &body_;
  Block *entry_ = nullptr, *first_ = nullptr;
  SmallVector<std::pair<cf::BranchOp, Block *>> waits_; // at a barrier, with the resume block
  DenseSet<Block *> resumes_;
};
} // namespace

LogicalResult resumeAtBarriers(func::FuncOp kernel, Barriers &barriers, bool tracksGroups) {
  return ResumePoints(kernel, barriers, tracksGroups).run();
}

} // namespace kiln
