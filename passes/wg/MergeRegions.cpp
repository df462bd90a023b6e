// Merges two adjacent regions, which removes the barrier between them. Work-items of the merged region run in id order,
// each its first part and then its second. So the merge is legal if no later work-item's first part accesses memory
// that an earlier work-item's second part accesses, unless both only read.
//
//   wg.parallel { %x = load values[i + 1]           wg.parallel {
//                 wg.store %x, %slot }        ==>     %x = load values[i + 1]
//   wg.parallel { %y = wg.load %slot                  store %x, values[i]
//                 store %y, values[i] }             }
//
// A slot between the two becomes an SSA value.
#include "dialects/ocl/Target.h"
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/CSE.h"
#include "passes/Pass.h"
#include "passes/analysis/BasePointer.h"
#include "passes/analysis/LaneShapes.h"
#include "passes/analysis/LinearAddress.h"
#include "passes/analysis/PlainAccess.h"
#include "passes/analysis/Size.h"

using namespace mlir;

namespace kiln {
#include "passes/MergeRegions.pass.inc"
namespace {

constexpr unsigned MaxOperations = 1000, MaxAccesses = 64;
constexpr llvm::StringLiteral FromSecondRegionAttr =
    "wg.from_second_region"; // marks an access that was in the second region

// All accesses of a region to memory that work-items share; nothing if it has other side effects than loads and stores.
std::optional<SmallVector<PlainAccess>> accessesIn(wg::ParallelOp region, const DataLayout &layout) {
  SmallVector<PlainAccess> accesses;
  WalkResult result = region.getBody().walk([&](Operation *op) {
    if (isa<scf::IfOp, scf::WhileOp, wg::LoadOp, wg::StoreOp, LLVM::AllocaOp>(op))
      return WalkResult::advance(); // nested operations are visited; slots and variables are private
    if (std::optional<PlainAccess> access = plainAccess(op, layout)) {
      if (access->space() != ocl::Private)
        accesses.push_back(*access);
      return WalkResult::advance();
    }
    return op->getNumRegions() == 0 && isMemoryEffectFree(op) ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (result.wasInterrupted() || accesses.size() > MaxAccesses)
    return {};
  return accesses;
}

// Returns true for arguments and variables, of which two in local memory never alias.
bool isIdentifiedObject(Value base) {
  auto argument = dyn_cast<BlockArgument>(base);
  const bool isArgument =
      argument && argument.getOwner()->isEntryBlock() && isa<func::FuncOp>(argument.getOwner()->getParentOp());
  return isArgument || base.getDefiningOp<LLVM::AddressOfOp>();
}

// Returns true if a store is involved and the address spaces may overlap.
bool mayAlias(const PlainAccess &a, const PlainAccess &b) {
  return (a.isStore || b.isStore) && (a.space() == b.space() || a.space() == ocl::Generic || b.space() == ocl::Generic);
}

/// Dependences between work-items of a region whose groups are one row.
class IterationOrder {
public:
  IterationOrder(wg::ParallelOp merged, int64_t items, const DataLayout &layout)
      : layout_(layout), shapes_(merged.getBody(), unsigned(items), layout, /*assumeIdsFit31Bits=*/false) {}

  // Returns true if no later work-item's `first` accesses memory that an earlier work-item's `second` accesses.
  bool isPreserved(const PlainAccess &first, const PlainAccess &second) const {
    if (!mayAlias(first, second))
      return true;
    const LinearAddress a(uncheckedPointer(first.pointer), layout_), b(uncheckedPointer(second.pointer), layout_);
    if (a.base != b.base)
      return first.space() == ocl::Local && second.space() == ocl::Local && isIdentifiedObject(a.base) &&
             isIdentifiedObject(b.base);
    const std::optional<StrideInfo> info = shapes_.of(uncheckedPointer(first.pointer)).strideInfo();
    if (!a.hasConstantDistanceTo(b) || !info)
      return false;
    const int64_t step = info->stride, firstEnd = a.constant + first.bytes, secondEnd = b.constant + second.bytes;
    // Each work-item accesses its own bytes only.
    if (std::max(firstEnd, secondEnd) - std::min(a.constant, b.constant) <= std::abs(step))
      return true;
    // Access groups may be loaded and stored in another order (simd/AccessGroups).
    if (first.bytes != std::abs(step) || second.bytes != std::abs(step))
      return false;
    return step > 0 ? a.constant + step >= secondEnd : firstEnd + step <= b.constant;
  }

private:
  const DataLayout &layout_;
  LaneShapes shapes_;
};

struct MergeRegions : impl::MergeRegionsBase<MergeRegions> {
  using MergeRegionsBase::MergeRegionsBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      SmallVector<Block *> blocks;
      kernel.walk([&](Operation *op) {
        if (isa<wg::ParallelOp>(op))
          return WalkResult::skip();
        for (Region &region : op->getRegions())
          for (Block &block : region)
            blocks.push_back(&block);
        return WalkResult::advance();
      });
      bool merged = false;
      for (Block *block : blocks)
        merged |= mergeIn(*block);
      if (merged)
        eraseDeadSlots(kernel);
    }
  }

private:
  bool mergeIn(Block &block) {
    bool merged = false;
    wg::ParallelOp last;
    SmallVector<Operation *> between;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto region = dyn_cast<wg::ParallelOp>(op);
      if (!region) {
        // Pure operations of the group can move before both regions.
        if (op.getNumRegions() == 0 && isPure(&op))
          between.push_back(&op);
        else
          last = {};
        continue;
      }
      if (wg::ParallelOp both = last ? merge(last, region) : wg::ParallelOp()) {
        for (Operation *number : between)
          number->moveBefore(both);
        forwardSlotStores(both);
        region = both;
        merged = true;
        ++regionsMerged;
      }
      last = region;
      between.clear();
    }
    return merged;
  }

  // Returns the merged region; null if both stay.
  wg::ParallelOp merge(wg::ParallelOp first, wg::ParallelOp second) {
    if (first.getMask() || second.getMask() || !first.getBody().hasOneBlock() || !second.getBody().hasOneBlock() ||
        operationsIn(first.getBody()) + operationsIn(second.getBody()) > MaxOperations)
      return {};
    const DataLayout layout = DataLayout::closest(first);
    auto ofFirst = accessesIn(first, layout), ofSecond = accessesIn(second, layout);
    if (!ofFirst || !ofSecond)
      return {};
    const bool alias = llvm::any_of(*ofFirst, [&](const PlainAccess &a) {
      return llvm::any_of(*ofSecond, [&](const PlainAccess &b) { return mayAlias(a, b); });
    });
    const ArrayRef<int64_t> localSize = ocl::fixedLocalSize(getOperation());
    const bool isRow = !localSize.empty() && localSize[1] == 1 && localSize[2] == 1;
    if (alias && !isRow)
      return {};
    wg::ParallelOp merged = concatenated(first, second);
    if (alias && !preservesOrder(merged, layout)) {
      merged.erase();
      return {};
    }
    merged->walk([](Operation *op) { op->removeAttr(FromSecondRegionAttr); });
    first.erase();
    second.erase();
    return merged;
  }

  // Creates the merged region after the second, where all operands of both are defined.
  wg::ParallelOp concatenated(wg::ParallelOp first, wg::ParallelOp second) {
    OpBuilder b(second->getContext());
    b.setInsertionPointAfter(second);
    auto merged = cast<wg::ParallelOp>(b.clone(*first));
    b.setInsertionPoint(merged.getBody().front().getTerminator());
    IRMapping mapping;
    for (Operation &op : second.getBody().front().without_terminator())
      b.clone(op, mapping)->walk([&](Operation *one) {
        if (isa<LLVM::LoadOp, LLVM::StoreOp>(one))
          one->setAttr(FromSecondRegionAttr, b.getUnitAttr());
      });
    IRRewriter rewriter(b.getContext());
    DominanceInfo dominance(merged);
    eliminateCommonSubExpressions(rewriter, dominance, merged); // LinearAddress compares values by identity
    return merged;
  }

  bool preservesOrder(wg::ParallelOp merged, const DataLayout &layout) {
    const IterationOrder order(merged, ocl::fixedLocalSize(getOperation())[0], layout);
    auto accesses = accessesIn(merged, layout);
    if (!accesses)
      return false;
    return llvm::all_of(*accesses, [&](const PlainAccess &first) {
      return first.op->hasAttr(FromSecondRegionAttr) || llvm::all_of(*accesses, [&](const PlainAccess &second) {
               return !second.op->hasAttr(FromSecondRegionAttr) || order.isPreserved(first, second);
             });
    });
  }

  // Forwards a work-item's own slot stores to its loads.
  void forwardSlotStores(wg::ParallelOp region) {
    llvm::DenseMap<Value, Value> stored; // by slots
    for (Operation &op : llvm::make_early_inc_range(region.getBody().front())) {
      if (auto store = dyn_cast<wg::StoreOp>(op)) {
        stored[store.getSlot()] = store.getValue();
        continue;
      }
      op.walk([&](wg::StoreOp store) { stored.erase(store.getSlot()); });
      op.walk([&](wg::LoadOp load) {
        if (Value value = stored.lookup(load.getSlot()); value && !hasAddress(load.getSlot())) {
          load.replaceAllUsesWith(value);
          load.erase();
        }
      });
    }
  }
  static bool hasAddress(Value slot) {
    return llvm::any_of(slot.getUsers(), [](Operation *user) { return isa<wg::AddressOp>(user); });
  }

  // Erases slots that are never read.
  void eraseDeadSlots(func::FuncOp kernel) {
    for (auto slot : llvm::make_early_inc_range(kernel.getOps<wg::SlotOp>())) {
      if (!llvm::all_of(slot->getUsers(), [](Operation *user) { return isa<wg::StoreOp>(user); }))
        continue;
      for (Operation *store : llvm::make_early_inc_range(slot->getUsers()))
        store->erase();
      slot.erase();
    }
  }
};
} // namespace
} // namespace kiln
