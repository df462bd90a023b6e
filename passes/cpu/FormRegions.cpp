// Splits a structured kernel as OclToWg.cpp describes: code between two barriers goes into one region, a condition or
// loop around a barrier is rebuilt around regions, and collectives are put between regions.
#include "passes/cpu/FormRegions.h"
#include "base/abi/Check.h"
#include "base/abi/KernelAbi.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Explain.h"
#include "passes/analysis/SubGroupSize.h"
#include "passes/analysis/Uniformity.h"
#include "passes/cpu/CrossRegionValues.h"
#include "passes/cpu/TrackGroups.h"
#include "passes/lowering/CheckSites.h"

using namespace mlir;

namespace kiln {
namespace {

/// Forms the regions of one structured kernel.
class RegionFormer {
public:
  RegionFormer(func::FuncOp kernel, Barriers &barriers, CheckSites *sites, bool tracksGroups)
      : kernel_(kernel), barriers_(barriers), sites_(sites), tracksGroups_(tracksGroups), uniformity_(kernel) {}

  LogicalResult run() {
    Block &old = kernel_.getBody().front();
    Block *entry = new Block;
    kernel_.getBody().push_back(entry);
    for (BlockArgument argument : old.getArguments())
      argument.replaceAllUsesWith(entry->addArgument(argument.getType(), argument.getLoc()));
    entry_ = entry;
    if (failed(form(old, entry, /*mask=*/{})))
      return failure();
    old.getTerminator()->moveBefore(entry, entry->end());
    placeVariables(allocas_, entry_, slots_);
    spillCrossRegionValues(kernel_, entry_, slots_);
    for (Operation *op : llvm::reverse(dead_))
      op->dropAllReferences();
    old.erase();
    return success();
  }

private:
  // ---- building blocks ---------------------------------------------------------------------------------------------

  Value newSlot(Type type) { return kiln::newSlot(entry_, type); }

  wg::ParallelOp open(Block *to, Value mask, Location loc) {
    auto builder = OpBuilder::atBlockEnd(to);
    auto parallel = wg::ParallelOp::create(builder, loc, mask);
    builder.createBlock(&parallel.getBody());
    wg::YieldOp::create(builder, loc);
    return parallel;
  }

  OpBuilder inside(wg::ParallelOp parallel) { return OpBuilder(parallel.getBody().front().getTerminator()); }

  // Stores varying values for every active work-item, at the end of `to`. All of them are read before one is written.
  void store(Block *to, Value mask, ArrayRef<std::pair<Value, Value>> valuesAndSlots, Location loc) {
    if (valuesAndSlots.empty())
      return;
    // A slot element belongs to one work-item, so the stores can be appended to the previous region, even across a
    // barrier, if their operands are available there.
    auto last = to->empty() ? wg::ParallelOp() : dyn_cast<wg::ParallelOp>(to->back());
    bool joins = last && last.getMask() == mask && llvm::all_of(valuesAndSlots, [&](auto &pair) {
                   Operation *op = pair.first.getDefiningOp();
                   return !op || op->getBlock() != to;
                 });
    OpBuilder builder = inside(joins ? last : open(to, mask, loc));
    for (auto [value, slot] : valuesAndSlots)
      wg::StoreOp::create(builder, loc, value, slot);
  }

  // A mask that is false for all work-items; `store` then sets it for the active ones.
  Value emptyMask(Block *to, Location loc) {
    Value mask = newSlot(IntegerType::get(kernel_.getContext(), 1));
    OpBuilder builder = inside(open(to, {}, loc));
    Value no = intConstant(builder, loc, 0, 1);
    wg::StoreOp::create(builder, loc, no, mask);
    return mask;
  }

  // Returns a uniform value outside the regions. If a region computes it, each active work-item stores it to a variable
  // of the group, and the result is loaded from it.
  Value groupValue(Value value, Block *to) {
    if (!regionOf(value))
      return value;
    Value &variable = groupVariables_[value];
    if (!variable) {
      auto builder = OpBuilder::atBlockBegin(entry_);
      Value one = intConstant(builder, value.getLoc(), 1, 32);
      auto pointer = LLVM::LLVMPointerType::get(kernel_.getContext());
      variable = LLVM::AllocaOp::create(builder, value.getLoc(), pointer, value.getType(), one);
      builder.setInsertionPointAfterValue(value);
      LLVM::StoreOp::create(builder, value.getLoc(), value, variable);
    }
    auto builder = OpBuilder::atBlockEnd(to);
    return LLVM::LoadOp::create(builder, value.getLoc(), value.getType(), variable);
  }

  // ---- the walk ----------------------------------------------------------------------------------------------------

  bool belongsToGroup(Operation &op) {
    return op.getNumRegions() == 0 && isPure(&op) &&
           llvm::none_of(op.getResults(), [&](Value v) { return uniformity_.isVarying(v); }) &&
           llvm::none_of(op.getOperands(), [&](Value v) { return regionOf(v) || uniformity_.isVarying(v); });
  }

  // Reports the work-items that are not in the mask under which the group executes a barrier. Without a mask all
  // work-items execute it.
  void reportMissing(ocl::BarrierOp barrier, Block *to, Value mask) {
    const Location loc = barrier.getLoc();
    wg::ParallelOp all = open(to, /*mask=*/{}, loc);
    ImplicitLocOpBuilder b(loc, all.getBody().front().getTerminator());
    Value reaches = wg::LoadOp::create(b, b.getI1Type(), mask);
    Value isMissing = arith::XOrIOp::create(b, reaches, intConstant(b, 1, 1));
    auto branch = scf::IfOp::create(b, isMissing, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> ids;
    for (int dim : {0, 1, 2})
      ids.push_back(ocl::QueryOp::create(b, b.getI64Type(), ocl::Query::global_id, intConstant(b, dim, 32)));
    callCheck(b, offsetof(abi::CheckLaunch, missing), sites_->of(loc, {.access = abi::CheckedBarrier}), ids, {});
  }

  void trackBarrier(Block *to, Location loc, ocl::Fence fence, ocl::Scope scope) const {
    if (!tracksGroups_)
      return;
    ImplicitLocOpBuilder b(loc, OpBuilder::atBlockEnd(to));
    kiln::trackBarrier(b, fence, scope);
  }

  // OpenCL C does not say that a collective orders accesses, but its work-items wait for each other.
  void trackCollective(Block *to, Location loc, ocl::Scope scope) const {
    if (scope != ocl::Scope::sub_group)
      trackBarrier(to, loc, ocl::Fence::local | ocl::Fence::global, ocl::Scope::work_group);
  }

  LogicalResult form(Block &from, Block *to, Value mask) {
    wg::ParallelOp current; // the region that is being filled
    for (Operation &op : llvm::make_early_inc_range(from.without_terminator())) {
      if (auto barrier = dyn_cast<ocl::BarrierOp>(op)) {
        current = {}; // ends the region: the next operation of a work-item opens another one
        explain("ocl-to-wg", [&](raw_ostream &os) { os << "region ends at the barrier at " << op.getLoc(); });
        if (sites_ && mask && barrier.getExecution() == ocl::Scope::work_group)
          reportMissing(barrier, to, mask);
        trackBarrier(to, barrier.getLoc(), barrier.getFence(), barrier.getScope());
        if (barrier.getScope() == ocl::Scope::device || barrier.getScope() == ocl::Scope::all_devices) {
          auto builder = OpBuilder::atBlockEnd(to);
          ocl::FenceOp::create(builder, op.getLoc(), ocl::Order::acq_rel, barrier.getScope(), barrier.getFence());
        }
        op.erase();
      } else if (auto combine = dyn_cast<ocl::CombineOp>(op)) {
        current = {};
        explain("ocl-to-wg", [&](raw_ostream &os) { os << "region ends at the collective at " << op.getLoc(); });
        formCombine(combine, to, mask);
      } else if (auto shuffle = dyn_cast<ocl::ShuffleOp>(op)) {
        current = formShuffle(shuffle, to, mask, current);
      } else if (auto ballot = dyn_cast<ocl::BallotOp>(op)) {
        current = formBallot(ballot, to, mask);
      } else if (auto alloca = dyn_cast<LLVM::AllocaOp>(op)) {
        allocas_.push_back(alloca);
        moveToStart(alloca, entry_);
      } else if (belongsToGroup(op)) {
        current ? op.moveBefore(current) : op.moveBefore(to, to->end());
      } else if (op.getNumRegions() && barriers_.contains(&op)) {
        current = {};
        explain("ocl-to-wg", [&](raw_ostream &os) {
          os << "region ends at " << op.getName() << " at " << op.getLoc() << ", which contains a barrier";
        });
        dead_.push_back(&op);
        LogicalResult formed = isa<scf::IfOp>(op) ? formIf(cast<scf::IfOp>(op), to, mask)
                               : isa<scf::WhileOp>(op)
                                   ? formWhile(cast<scf::WhileOp>(op), to, mask)
                                   : op.emitError("a barrier is in this operation, must be in scf.if or scf.while");
        if (failed(formed))
          return failure();
      } else {
        if (!current)
          current = open(to, mask, op.getLoc());
        op.moveBefore(current.getBody().front().getTerminator());
      }
    }
    return success();
  }

  // Forms one branch. Stores varying results in their slots, and appends uniform ones to `yielded`.
  LogicalResult formBranch(Block &from, Block *to, Value mask, ResultRange results, SmallVector<Value> *yielded) {
    if (failed(form(from, to, mask)))
      return failure();
    SmallVector<std::pair<Value, Value>> stores;
    for (auto [value, result] : llvm::zip(from.getTerminator()->getOperands(), results)) {
      if (Value slot = slots_.lookup(result))
        stores.push_back({value, slot});
    }
    store(to, mask, stores, from.getTerminator()->getLoc());
    if (yielded)
      for (auto [value, result] : llvm::zip(from.getTerminator()->getOperands(), results))
        if (!slots_.count(result))
          yielded->push_back(groupValue(value, to));
    return success();
  }

  LogicalResult formIf(scf::IfOp op, Block *to, Value mask) {
    Location loc = op.getLoc();
    bool uniform = !uniformity_.isVarying(op.getCondition());
    SmallVector<Type> types;
    for (Value result : op.getResults())
      if (uniform && !uniformity_.isVarying(result))
        types.push_back(result.getType());
      else
        slots_[result] = newSlot(result.getType());
    if (!uniform)
      return formMaskedIf(op, to, mask);

    Value condition = groupValue(op.getCondition(), to);
    auto builder = OpBuilder::atBlockEnd(to);
    auto branch = scf::IfOp::create(builder, loc, types, condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
    for (auto [from, into] : {std::pair(op.thenBlock(), branch.thenBlock()), {op.elseBlock(), branch.elseBlock()}}) {
      while (!into->empty())
        into->back().erase();
      SmallVector<Value> yielded;
      if (from && failed(formBranch(*from, into, mask, op.getResults(), &yielded)))
        return failure();
      auto end = OpBuilder::atBlockEnd(into);
      scf::YieldOp::create(end, loc, yielded);
    }
    unsigned next = 0;
    for (Value result : op.getResults())
      if (!slots_.count(result))
        result.replaceAllUsesWith(branch.getResult(next++));
    return success();
  }

  // Forms both branches one after the other, each under the mask of the work-items that take it, if there are any.
  LogicalResult formMaskedIf(scf::IfOp op, Block *to, Value mask) {
    Location loc = op.getLoc();
    Value takes = emptyMask(to, loc), leaves = op.elseBlock() ? emptyMask(to, loc) : Value();
    {
      OpBuilder builder = inside(open(to, mask, loc));
      wg::StoreOp::create(builder, loc, op.getCondition(), takes);
      if (leaves) {
        Value yes = intConstant(builder, loc, 1, 1);
        Value negated = arith::XOrIOp::create(builder, loc, op.getCondition(), yes);
        wg::StoreOp::create(builder, loc, negated, leaves);
      }
    }
    for (auto [from, branchMask] : {std::pair(op.thenBlock(), takes), {op.elseBlock(), leaves}}) {
      if (!from)
        continue;
      auto builder = OpBuilder::atBlockEnd(to);
      Value any = wg::AnyOp::create(builder, loc, builder.getI1Type(), branchMask);
      auto branch = scf::IfOp::create(builder, loc, any, /*withElseRegion=*/false);
      branch.thenBlock()->back().erase();
      if (failed(formBranch(*from, branch.thenBlock(), branchMask, op.getResults(), nullptr)))
        return failure();
      auto end = OpBuilder::atBlockEnd(branch.thenBlock());
      scf::YieldOp::create(end, loc);
    }
    return success();
  }

  LogicalResult formWhile(scf::WhileOp op, Block *to, Value mask) {
    Location loc = op.getLoc();
    scf::ConditionOp condition = op.getConditionOp();
    bool uniform = !uniformity_.isVarying(condition.getCondition());

    // Uniform values stay loop-carried values, the others go through slots.
    SmallVector<Value> inits;
    SmallVector<Type> carriedTypes, forwardedTypes;
    SmallVector<std::pair<Value, Value>> stores;
    for (auto [init, argument] : llvm::zip(op.getInits(), op.getBeforeArguments())) {
      if (uniformity_.isVarying(argument)) {
        Value slot = slots_[argument] = newSlot(argument.getType());
        stores.push_back({init, slot});
      } else {
        inits.push_back(groupValue(init, to));
        carriedTypes.push_back(argument.getType());
      }
    }
    store(to, mask, stores, loc);
    SmallVector<Value> resultSlots; // null if only a group value is forwarded, or the value stays in its slot
    SmallVector<bool> isForwarded;  // as a group value
    for (auto [argument, result, value] : llvm::zip(op.getAfterArguments(), op.getResults(), condition.getArgs())) {
      bool uniformInside = !uniformity_.isVarying(argument), uniformAfter = uniform && !uniformity_.isVarying(result);
      // A carried value that is forwarded unchanged stays in its slot: the next one is stored after all reads of the
      // iteration, and not for work-items that have left.
      Value carried = slots_.lookup(value);
      Value slot = uniformInside && uniformAfter ? Value() : carried ? carried : newSlot(result.getType());
      if (!uniformInside)
        slots_[argument] = slot;
      if (!uniformAfter)
        slots_[result] = slot;
      resultSlots.push_back(carried ? Value() : slot);
      isForwarded.push_back(uniformInside || uniformAfter);
      if (isForwarded.back())
        forwardedTypes.push_back(result.getType());
    }
    if (!uniform) {
      Value outer = mask;
      mask = emptyMask(to, loc);
      OpBuilder builder = inside(open(to, outer, loc));
      Value yes = intConstant(builder, loc, 1, 1);
      wg::StoreOp::create(builder, loc, yes, mask);
    }

    auto builder = OpBuilder::atBlockEnd(to);
    auto loop = scf::WhileOp::create(builder, loc, forwardedTypes, inits);
    Block *before =
        builder.createBlock(&loop.getBefore(), {}, carriedTypes, SmallVector<Location>(carriedTypes.size(), loc));
    Block *after =
        builder.createBlock(&loop.getAfter(), {}, forwardedTypes, SmallVector<Location>(forwardedTypes.size(), loc));
    unsigned next = 0;
    for (BlockArgument argument : op.getBeforeArguments())
      if (!slots_.count(argument))
        argument.replaceAllUsesWith(before->getArgument(next++));
    next = 0;
    for (auto [argument, result, forwards] : llvm::zip(op.getAfterArguments(), op.getResults(), isForwarded)) {
      if (!forwards)
        continue;
      if (!slots_.count(argument))
        argument.replaceAllUsesWith(after->getArgument(next));
      if (!slots_.count(result))
        result.replaceAllUsesWith(loop.getResult(next));
      ++next;
    }

    // The `before` block, the forwarded values, and the mask of work-items that continue.
    if (failed(form(*op.getBeforeBody(), before, mask)))
      return failure();
    stores.clear();
    SmallVector<Value> forwarded;
    for (auto [value, slot] : llvm::zip(condition.getArgs(), resultSlots))
      if (slot)
        stores.push_back({value, slot});
    if (!uniform)
      stores.push_back({condition.getCondition(), mask});
    store(before, mask, stores, loc);
    for (auto [value, forwards] : llvm::zip(condition.getArgs(), isForwarded))
      if (forwards)
        forwarded.push_back(groupValue(value, before));
    Value continues = uniform ? groupValue(condition.getCondition(), before) : Value();
    builder.setInsertionPointToEnd(before);
    if (!uniform)
      continues = wg::AnyOp::create(builder, loc, builder.getI1Type(), mask);
    scf::ConditionOp::create(builder, loc, continues, forwarded);

    // The `after` block, and the next carried values.
    if (failed(form(*op.getAfterBody(), after, mask)))
      return failure();
    stores.clear();
    SmallVector<Value> carried;
    for (auto [value, argument] : llvm::zip(op.getYieldOp().getOperands(), op.getBeforeArguments()))
      if (Value slot = slots_.lookup(argument))
        stores.push_back({value, slot});
    store(after, mask, stores, loc);
    for (auto [value, argument] : llvm::zip(op.getYieldOp().getOperands(), op.getBeforeArguments()))
      if (!slots_.count(argument))
        carried.push_back(groupValue(value, after));
    builder.setInsertionPointToEnd(after);
    scf::YieldOp::create(builder, loc, carried);
    return success();
  }

  // ---- collectives -------------------------------------------------------------------------------------------------

  // Stores each work-item's value in a slot, which other work-items can read after the end of the region.
  Value share(Value value, Block *to, Value mask, Location loc) {
    Value slot = newSlot(value.getType());
    store(to, mask, std::pair(value, slot), loc);
    return slot;
  }

  void formCombine(ocl::CombineOp op, Block *to, Value mask) {
    Location loc = op.getLoc();
    trackCollective(to, loc, op.getScope());
    Value from = share(op.getValue(), to, mask, loc);
    auto builder = OpBuilder::atBlockEnd(to);
    if (op.isUniformResult()) {
      op.replaceAllUsesWith(wg::ReduceOp::create(builder, loc, op.getType(), op.getKind(), from, mask).getResult());
      op.erase();
      return;
    }
    IntegerAttr width;
    if (op.getScope() == ocl::Scope::sub_group)
      width = builder.getI32IntegerAttr(std::min<uint64_t>(op.getCluster().value_or(~0u), cpuSubGroupSize(kernel_)));
    Value result = newSlot(op.getType());
    wg::CombineOp::create(builder, loc, op.getGroupOperation(), op.getKind(), from, result, mask, width);
    slots_[op.getResult()] = result;
    dead_.push_back(op);
  }

  // Stores the values of a shuffle in a sub-group and of those that follow it, with nothing between that has an effect:
  // one end of a region is enough for all of them. Their slots are in `shared_` until `current` ends.
  void shareRun(ocl::ShuffleOp first, Block *to, Value mask) {
    SmallVector<std::pair<Value, Value>> stores;
    for (Operation *op = first; op; op = op->getNextNode()) {
      auto shuffle = dyn_cast<ocl::ShuffleOp>(op);
      if (!shuffle && (op->getNumRegions() || !isPure(op)))
        break;
      if (shuffle && shuffle.getScope() != ocl::Scope::sub_group)
        break;
      Operation *from = shuffle ? shuffle.getValue().getDefiningOp() : nullptr;
      const bool isKnown =
          shuffle && (!from || from->getBlock() != first->getBlock() || slots_.count(shuffle.getValue()));
      if (isKnown && !shared_.count(shuffle.getValue()))
        stores.push_back({shuffle.getValue(), shared_[shuffle.getValue()] = newSlot(shuffle.getType())});
    }
    store(to, mask, stores, first.getLoc());
  }

  // Returns the region that computes the result; null if it is a group value.
  wg::ParallelOp formShuffle(ocl::ShuffleOp op, Block *to, Value mask, wg::ParallelOp current) {
    Location loc = op.getLoc();
    const bool isRun = op.getScope() == ocl::Scope::sub_group;
    const bool isShared = isRun && current && current == sharedIn_ && shared_.count(op.getValue());
    if (isRun && !isShared) {
      shared_.clear();
      shareRun(op, to, mask);
    }
    Value from = isRun ? shared_.lookup(op.getValue()) : share(op.getValue(), to, mask, loc);
    trackCollective(to, loc, op.getScope());
    wg::ParallelOp region;
    auto builder = OpBuilder::atBlockEnd(to);
    Value lane = op.getLane();
    if (uniformity_.isVarying(op.getResult())) {
      region = isShared ? current : open(to, mask, loc);
      if (isRun)
        sharedIn_ = region;
      builder = inside(region);
    } else {
      lane = groupValue(lane, to);
      builder.setInsertionPointToEnd(to);
    }
    Value item = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), lane);
    auto constant = [&](int64_t value) { return intConstant(builder, loc, value, 64); };
    // An id out of range is clamped, so that it reads some element of the slot.
    if (op.getScope() == ocl::Scope::sub_group) {
      static_assert(abi::ItemRounding % *std::rbegin(abi::CpuSubGroupSizes) == 0, "slots hold whole sub-groups");
      const int64_t size = cpuSubGroupSize(kernel_);
      Value self = ocl::LinearQueryOp::create(builder, loc, builder.getI64Type(), ocl::LinearQuery::local_linear_id);
      // The vectoriser recognises this quotient as equal in all lanes of a vector.
      Value subGroup = arith::DivUIOp::create(builder, loc, self, constant(size));
      item = arith::AndIOp::create(builder, loc, item, constant(size - 1));
      item = arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, subGroup, constant(size)), item);
    } else {
      Value last = constant(1);
      for (int dim : {0, 1, 2}) {
        Value index = intConstant(builder, loc, dim, 32);
        Value size = ocl::QueryOp::create(builder, loc, builder.getI64Type(), ocl::Query::local_size, index);
        last = arith::MulIOp::create(builder, loc, last, size);
      }
      last = arith::SubIOp::create(builder, loc, last, constant(1));
      item = arith::MinUIOp::create(builder, loc, item, last);
    }
    Value result = wg::ReadOp::create(builder, loc, op.getType(), from, item);
    uniformity_.replace(op.getResult(), result);
    op.replaceAllUsesWith(result);
    op.erase();
    return region;
  }

  // Combines the work-items' bits.
  wg::ParallelOp formBallot(ocl::BallotOp op, Block *to, Value mask) {
    static_assert(*std::rbegin(abi::CpuSubGroupSizes) <= 32, "the votes of a sub-group fit in the first component");
    Location loc = op.getLoc();
    Value bits = newSlot(IntegerType::get(op.getContext(), 32)), votes = newSlot(IntegerType::get(op.getContext(), 32));
    {
      OpBuilder builder = inside(open(to, mask, loc));
      Type i32 = builder.getI32Type();
      Value lane = ocl::LinearQueryOp::create(builder, loc, i32, ocl::LinearQuery::sub_group_local_id);
      Value vote = arith::ExtUIOp::create(builder, loc, i32, op.getPredicate());
      wg::StoreOp::create(builder, loc, arith::ShLIOp::create(builder, loc, vote, lane), bits);
    }
    auto builder = OpBuilder::atBlockEnd(to);
    wg::CombineOp::create(builder, loc, ocl::GroupOperation::reduce, ocl::CombiningKind::or_, bits, votes, mask,
                          builder.getI32IntegerAttr(int32_t(cpuSubGroupSize(kernel_))));
    wg::ParallelOp region = open(to, mask, loc);
    builder = inside(region);
    Value none = intConstant(builder, loc, 0, 32);
    Value known = wg::LoadOp::create(builder, loc, builder.getI32Type(), votes);
    Value result = vector::FromElementsOp::create(builder, loc, op.getType(), ValueRange{known, none, none, none});
    uniformity_.replace(op.getResult(), result);
    op.replaceAllUsesWith(result);
    op.erase();
    return region;
  }

  func::FuncOp kernel_;
  Barriers &barriers_;
  CheckSites *const sites_; // null: barriers are not checked
  const bool tracksGroups_;
  Uniformity uniformity_;
  Block *entry_ = nullptr;
  DenseMap<Value, Value> slots_; // of values that exist in a slot only: results of formed operations, private variables
  DenseMap<Value, Value> groupVariables_; // of uniform values that a region computes
  DenseMap<Value, Value> shared_;         // slots of values that shuffles of one run read
  wg::ParallelOp sharedIn_;               // the region of these shuffles
  SmallVector<LLVM::AllocaOp> allocas_;
  SmallVector<Operation *> dead_; // operations that have been rebuilt
};

} // namespace

LogicalResult formRegions(func::FuncOp kernel, Barriers &barriers, CheckSites *sites, bool tracksGroups) {
  return RegionFormer(kernel, barriers, sites, tracksGroups).run();
}

} // namespace kiln
