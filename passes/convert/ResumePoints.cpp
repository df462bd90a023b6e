// Splits a kernel at its barriers by remembering, for each work-item, where it goes on.
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
// Each round takes every work-item that has not returned from where it waits to its next barrier, and the end of the
// round is the barrier. The specification has all work-items of a group meet at the same one, so a round is what lies
// between two barriers; where a kernel breaks that rule each work-item still gets further in every round, and the
// kernel ends.
//
// It takes any graph, in time that grows with its size, at the price of a switch a round and of memory for what lives
// across a barrier. So structured kernels go through OclToWg.cpp, which knows what is uniform; this is for those
// whose structure would take too long to find.
//
// A value that is needed behind a barrier is stored where it is defined and loaded in each block that uses it; that is
// always right, so the search for who needs it may give up early. What is the same for the whole group is computed
// once, in front of the rounds. Private variables are slots.
#include "passes/convert/ResumePoints.h"
#include "dialects/ocl/Ocl.h"
#include "dialects/wg/Wg.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/analysis/Uniformity.h"
#include "passes/convert/StorageOf.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;

namespace kiln {
namespace {

// Blocks that are looked at to find out whether a value lives across a barrier. With a limit the time stays
// proportional to the number of values.
constexpr unsigned MaxSearch = 512;

class Rounds {
public:
  Rounds(func::FuncOp kernel, Barriers &barriers)
      : kernel_(kernel), barriers_(barriers), loc_(kernel.getLoc()), body_(kernel.getBody()) {}

  LogicalResult run() {
    if (failed(flatten()))
      return failure();
    makeEntry();
    hoistGroupValues();
    if (failed(splitAtBarriers()))
      return failure();
    spill();
    makeRounds();
    return success();
  }

private:
  // Functions that were structured on their own have been inlined.
  LogicalResult flatten() {
    RewritePatternSet patterns(kernel_.getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    ConversionTarget target(*kernel_.getContext());
    target.addIllegalOp<scf::IfOp, scf::WhileOp, scf::ForOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    return applyPartialConversion(kernel_, target, std::move(patterns));
  }

  // What runs once for the group: a block in front of everything else.
  void makeEntry() {
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
    // The entry leads on only for the time of this walk: definitions come before uses in this order.
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

  // Behind each barrier a block of its own begins. Until `makeRounds` the one before it leads there.
  LogicalResult splitAtBarriers() {
    SmallVector<ocl::BarrierOp> barriers;
    for (Block &block : body_)
      for (Operation &op : block)
        if (auto barrier = dyn_cast<ocl::BarrierOp>(op);
            barrier && barrier.getExecution() == ocl::Scope::work_group)
          barriers.push_back(barrier);
        else if (barriers_.contains(&op))
          return op.emitError("waits for other work-items, in control flow that is too large for it");
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

  // ---- values that live across a barrier -------------------------------------------------------------------------------

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
      Value slot = newSlot(storageOf(alloca));
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

  // Gives every block that uses the value one of its own, made at its start; `except` keeps the value.
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

  // Is the value needed in a block that follows a barrier: goes back from the uses to the definition.
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

  // ---- the loop over rounds --------------------------------------------------------------------------------------------

  void makeRounds() {
    MLIRContext *context = kernel_.getContext();
    Value point = newSlot(IntegerType::get(context, 32)), running = newSlot(IntegerType::get(context, 1));
    OpBuilder builder = OpBuilder::atBlockEnd(entry_);
    auto number = [&](OpBuilder &b, Location loc, int64_t value, unsigned bits) -> Value {
      return arith::ConstantIntOp::create(b, loc, value, bits);
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
    auto round = wg::ParallelOp::create(builder, loc_, Value());
    Value any = wg::AnyOp::create(builder, loc_, builder.getI1Type(), running);
    scf::ConditionOp::create(builder, loc_, any, ValueRange());
    builder.createBlock(&loop.getAfter());
    scf::YieldOp::create(builder, loc_);

    Region &inside = round.getBody();
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
    // Where a work-item goes on; nowhere, if it has returned.
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
  Location loc_;
  Region &body_;
  Block *entry_ = nullptr, *first_ = nullptr;
  SmallVector<std::pair<cf::BranchOp, Block *>> waits_; // at a barrier, and where it goes on
  DenseSet<Block *> resumes_;
};
} // namespace

LogicalResult resumeAtBarriers(func::FuncOp kernel, Barriers &barriers) { return Rounds(kernel, barriers).run(); }

} // namespace kiln
