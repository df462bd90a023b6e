// Two regions that follow each other become one where no work-item would notice. They run in the order of their ids,
// and then each does the second part behind its first: what a later one does in the first part must not meet what an
// earlier one does in the second.
//
//   wg.parallel { %x = load values[i + 1]           wg.parallel {
//                 wg.store %x, %slot }        ==>     %x = load values[i + 1]
//   wg.parallel { %y = wg.load %slot                  store %x, values[i]
//                 store %y, values[i] }             }
//
// What lived in a slot from one to the other is a value then.
#include "dialects/ocl/Ocl.h"
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/CSE.h"
#include "passes/Passes.h"
#include "passes/analysis/LaneShapes.h"
#include "passes/analysis/LinearAddress.h"
#include "passes/analysis/PlainAccess.h"
#include "passes/analysis/Size.h"

using namespace mlir;

namespace kiln {
#define GEN_PASS_DEF_MERGEREGIONS
#include "passes/Passes.h.inc"
namespace {

constexpr unsigned MostOperations = 1000, MostAccesses = 64;
constexpr llvm::StringLiteral SecondAttr = "wg.second"; // an access that came from the second region

// All that a region shares with other work-items; nothing where it does more than read and write.
std::optional<SmallVector<PlainAccess>> accessesIn(wg::ParallelOp region, const DataLayout &layout) {
  SmallVector<PlainAccess> accesses;
  WalkResult result = region.getBody().walk([&](Operation *op) {
    if (isa<scf::IfOp, scf::WhileOp, wg::LoadOp, wg::StoreOp, LLVM::AllocaOp>(op))
      return WalkResult::advance(); // what is inside is asked itself; the others are the work-item's own
    if (std::optional<PlainAccess> access = plainAccess(op, layout)) {
      if (access->space() != ocl::Private)
        accesses.push_back(*access);
      return WalkResult::advance();
    }
    return op->getNumRegions() == 0 && isMemoryEffectFree(op) ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (result.wasInterrupted() || accesses.size() > MostAccesses)
    return {};
  return accesses;
}

// Local memory that has a name of its own.
bool isOneObject(Value base) {
  auto argument = dyn_cast<BlockArgument>(base);
  return (argument && isa<func::FuncOp>(argument.getOwner()->getParentOp())) || base.getDefiningOp<LLVM::AddressOfOp>();
}

// May both touch the same memory, as far as their pointers alone say.
bool mayMeet(const PlainAccess &a, const PlainAccess &b) {
  return (a.isStore || b.isStore) && (a.space() == b.space() || a.space() == ocl::Generic || b.space() == ocl::Generic);
}

/// Of regions whose groups are one row.
class Order {
public:
  Order(wg::ParallelOp merged, int64_t items, const DataLayout &layout)
      : layout_(layout), shapes_(merged.getBody(), unsigned(items), layout, /*assumeIdsFit31Bits=*/false) {}

  // Does no later work-item's first access meet an earlier one's second.
  bool keeps(const PlainAccess &first, const PlainAccess &second) const {
    if (!mayMeet(first, second))
      return true;
    const LinearAddress a(first.pointer, layout_), b(second.pointer, layout_);
    if (a.base != b.base)
      return first.space() == ocl::Local && second.space() == ocl::Local && isOneObject(a.base) && isOneObject(b.base);
    const std::optional<Rise> rise = shapes_.of(first.pointer).rise();
    if (!a.hasConstantDistanceTo(b) || !rise)
      return false;
    const int64_t step = rise->stride, firstEnd = a.constant + first.bytes, secondEnd = b.constant + second.bytes;
    // Each work-item has a place of its own.
    if (std::max(firstEnd, secondEnd) - std::min(a.constant, b.constant) <= std::abs(step))
      return true;
    // Rows of vectors may be read and written in another order than they stand.
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
        dropSlots(kernel);
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
        // The group's own numbers may be made before both.
        if (op.getNumRegions() == 0 && isPure(&op))
          between.push_back(&op);
        else
          last = {};
        continue;
      }
      if (wg::ParallelOp both = last ? merge(last, region) : wg::ParallelOp()) {
        for (Operation *number : between)
          number->moveBefore(both);
        keepInValues(both);
        region = both;
        merged = true;
        ++regionsMerged;
      }
      last = region;
      between.clear();
    }
    return merged;
  }

  // The region that takes the place of both; null: they stay.
  wg::ParallelOp merge(wg::ParallelOp first, wg::ParallelOp second) {
    if (first.getMask() || second.getMask() || !first.getBody().hasOneBlock() || !second.getBody().hasOneBlock() ||
        operationsIn(first.getBody()) + operationsIn(second.getBody()) > MostOperations)
      return {};
    const DataLayout layout = DataLayout::closest(first);
    auto ofFirst = accessesIn(first, layout), ofSecond = accessesIn(second, layout);
    if (!ofFirst || !ofSecond)
      return {};
    const bool meet = llvm::any_of(*ofFirst, [&](const PlainAccess &a) {
      return llvm::any_of(*ofSecond, [&](const PlainAccess &b) { return mayMeet(a, b); });
    });
    const bool isRow = localSize.size() == 3 && localSize[1] == 1 && localSize[2] == 1;
    if (meet && !isRow)
      return {};
    wg::ParallelOp both = joined(first, second);
    if (meet && !keepsOrder(both, layout)) {
      both.erase();
      return {};
    }
    both->walk([](Operation *op) { op->removeAttr(SecondAttr); });
    first.erase();
    second.erase();
    return both;
  }

  // Behind the second, where all that both use is known.
  wg::ParallelOp joined(wg::ParallelOp first, wg::ParallelOp second) {
    OpBuilder b(second->getContext());
    b.setInsertionPointAfter(second);
    auto both = cast<wg::ParallelOp>(b.clone(*first));
    b.setInsertionPoint(both.getBody().front().getTerminator());
    IRMapping mapping;
    for (Operation &op : second.getBody().front().without_terminator())
      b.clone(op, mapping)->walk([&](Operation *one) {
        if (isa<LLVM::LoadOp, LLVM::StoreOp>(one))
          one->setAttr(SecondAttr, b.getUnitAttr());
      });
    IRRewriter rewriter(b.getContext());
    DominanceInfo dominance(both);
    eliminateCommonSubExpressions(rewriter, dominance, both); // addresses are compared by the values in them
    return both;
  }

  bool keepsOrder(wg::ParallelOp both, const DataLayout &layout) {
    const Order order(both, localSize[0], layout);
    auto accesses = accessesIn(both, layout);
    if (!accesses)
      return false;
    return llvm::all_of(*accesses, [&](const PlainAccess &first) {
      return first.op->hasAttr(SecondAttr) || llvm::all_of(*accesses, [&](const PlainAccess &second) {
               return !second.op->hasAttr(SecondAttr) || order.keeps(first, second);
             });
    });
  }

  // What the work-item itself has stored is not loaded.
  void keepInValues(wg::ParallelOp region) {
    llvm::DenseMap<Value, Value> held; // by slots
    for (Operation &op : llvm::make_early_inc_range(region.getBody().front())) {
      if (auto store = dyn_cast<wg::StoreOp>(op)) {
        held[store.getSlot()] = store.getValue();
        continue;
      }
      op.walk([&](wg::StoreOp store) { held.erase(store.getSlot()); });
      op.walk([&](wg::LoadOp load) {
        if (Value value = held.lookup(load.getSlot()); value && !hasAddress(load.getSlot())) {
          load.replaceAllUsesWith(value);
          load.erase();
        }
      });
    }
  }
  static bool hasAddress(Value slot) {
    return llvm::any_of(slot.getUsers(), [](Operation *user) { return isa<wg::AddressOp>(user); });
  }

  // Slots that nobody reads any more.
  void dropSlots(func::FuncOp kernel) {
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
