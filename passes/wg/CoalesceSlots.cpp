// Merges slots between which values are copied, if no work-item needs both at once.
//
//   scf.while {                                       scf.while {
//     wg.parallel { %x = wg.load %sum                   wg.parallel { %x = wg.load %sum
//                   wg.store f(%x), %next }     ==>                   wg.store f(%x), %sum }
//     wg.parallel { %y = wg.load %next                }
//                   wg.store %y, %sum }
//   }
//
// FormRegions gives a value that a loop around a barrier carries one slot for each of its places: the first value, the
// next one, and that after the loop. In a matrix product with 16 sums a work-item, the copies are half of the accesses
// to slots. Copies in the same region that become copies of a slot to itself are erased, and regions that are empty
// then.
//
// Legal because a work-item accesses only its own elements of slots that are only loaded and stored. Two slots can be
// merged if neither is stored while the other has a value that is loaded later, as in the colouring of an interference
// graph. A store under a mask keeps the old values of other work-items, so it ends no value's life.
//
// Not handled: slots whose addresses are used, or that other work-items read; regions that are graphs of blocks.
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Pass.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace kiln {
#include "passes/CoalesceSlots.pass.inc"
namespace {

// Slots of a kernel that are looked at, at most: time and memory grow with the square.
constexpr unsigned MaxSlots = 1024;

/// A store of what was loaded from another slot, which has not changed since.
struct Copy {
  wg::LoadOp load;
  wg::StoreOp store;
};

bool changesSlot(Operation &op, Value slot) {
  return op
      .walk(
          [&](wg::StoreOp store) { return store.getSlot() == slot ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

std::optional<Copy> copyBy(wg::StoreOp store) {
  auto load = store.getValue().getDefiningOp<wg::LoadOp>();
  if (!load || load->getBlock() != store->getBlock())
    return {};
  for (Operation *op = load->getNextNode(); op != store; op = op->getNextNode())
    if (changesSlot(*op, load.getSlot()))
      return {};
  return Copy{load, store};
}

/// Which slots have values that are loaded later, at each store of a kernel.
class Interference {
public:
  Interference(func::FuncOp kernel, ArrayRef<Value> slots) : interfering_(slots.size(), llvm::BitVector(slots.size())) {
    for (auto [number, slot] : llvm::enumerate(slots))
      numbers_[slot] = unsigned(number);
    visit(kernel.getBody().front(), llvm::BitVector(slots.size()), /*isMasked=*/false);
  }

  bool contains(const Value &a, const Value &b) const { return interfering_[numbers_.at(a)][numbers_.at(b)]; }
  /// `a` and `b` become one slot, which both names stand for.
  void merge(ArrayRef<Value> merged) {
    llvm::BitVector all(interfering_.size());
    for (Value slot : merged)
      all |= interfering_[numbers_.at(slot)];
    for (Value slot : merged) {
      interfering_[numbers_.at(slot)] = all;
      for (unsigned other : all.set_bits())
        interfering_[other].set(numbers_.at(slot));
    }
  }

private:
  // Returns the slots that are live before the block; `live`: after it.
  llvm::BitVector visit(Block &block, llvm::BitVector live, bool isMasked) {
    for (Operation &op : llvm::reverse(block))
      visit(op, live, isMasked);
    return live;
  }

  void visit(Operation &op, llvm::BitVector &live, bool isMasked) {
    if (auto load = dyn_cast<wg::LoadOp>(op)) {
      if (const auto found = numbers_.find(load.getSlot()); found != numbers_.end())
        live.set(found->second);
    } else if (auto store = dyn_cast<wg::StoreOp>(op)) {
      if (const auto found = numbers_.find(store.getSlot()); found != numbers_.end())
        define(found->second, store, live, isMasked);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      visitLoop(loop, live, isMasked);
    } else if (op.getNumRegions()) {
      visitRegions(op, live, isMasked);
    }
  }

  void define(unsigned slot, wg::StoreOp store, llvm::BitVector &live, bool isMasked) {
    if (!isMasked)
      live.reset(slot);
    llvm::BitVector others = live;
    others.reset(slot);
    if (auto copy = copyBy(store))
      if (const auto source = numbers_.find(copy->load.getSlot()); source != numbers_.end())
        others.reset(source->second); // has the same value
    interfering_[slot] |= others;
    for (unsigned other : others.set_bits())
      interfering_[other].set(slot);
  }

  // Work-items may go around again with what is live at the start.
  void visitLoop(scf::WhileOp loop, llvm::BitVector &live, bool isMasked) {
    llvm::BitVector start(live.size());
    for (;;) {
      llvm::BitVector condition = live;
      condition |= visit(*loop.getAfterBody(), start, isMasked);
      llvm::BitVector next = visit(*loop.getBeforeBody(), condition, isMasked);
      next |= start;
      if (next == start)
        break;
      start = std::move(next);
    }
    live = start;
  }

  // A region, or a branch: each of its regions runs at most once.
  void visitRegions(Operation &op, llvm::BitVector &live, bool isMasked) {
    auto parallel = dyn_cast<wg::ParallelOp>(op);
    isMasked |= parallel && parallel.getMask();
    llvm::BitVector before(live.size());
    bool isComplete = bool(parallel);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      isComplete = !branch.getElseRegion().empty();
    for (Region &region : op.getRegions())
      if (!region.empty())
        before |= visit(region.front(), live, isMasked);
    if (!isComplete)
      before |= live;
    live = std::move(before);
  }

  llvm::DenseMap<Value, unsigned> numbers_;
  std::vector<llvm::BitVector> interfering_;
};

class SlotCoalescer {
public:
  explicit SlotCoalescer(func::FuncOp kernel) : kernel_(kernel) {}

  /// Returns the number of slots that became others.
  unsigned run() {
    findCopies();
    if (copies_.empty() || slots_.size() > MaxSlots || !isStructured())
      return 0;
    Interference interference(kernel_, slots_.getArrayRef());
    llvm::MapVector<Value, SmallVector<Value>> classes; // by the slot that stays
    llvm::DenseMap<Value, Value> stays;
    for (Value slot : slots_) {
      classes[slot] = {slot};
      stays[slot] = slot;
    }
    unsigned merged = 0;
    for (Copy &copy : copies_) {
      const Value to = stays[copy.store.getSlot()], from = stays[copy.load.getSlot()];
      if (to == from || interference.contains(to, from))
        continue;
      for (Value slot : classes[from])
        stays[slot] = to;
      llvm::append_range(classes[to], classes[from]);
      interference.merge(classes[to]);
      ++merged;
    }
    for (Value slot : slots_)
      if (stays[slot] != slot)
        slot.replaceAllUsesWith(stays[slot]);
    eraseCopies();
    return merged;
  }

private:
  static bool isOnlyLoadedAndStored(Value slot) {
    return llvm::all_of(slot.getUsers(), [](Operation *user) { return isa<wg::LoadOp, wg::StoreOp>(user); });
  }

  void findCopies() {
    kernel_.walk([&](wg::StoreOp store) {
      auto copy = copyBy(store);
      if (!copy || copy->load.getSlot() == store.getSlot() ||
          copy->load.getSlot().getType() != store.getSlot().getType() || !isOnlyLoadedAndStored(copy->load.getSlot()) ||
          !isOnlyLoadedAndStored(store.getSlot()))
        return;
      copies_.push_back(*copy);
      slots_.insert(copy->load.getSlot());
      slots_.insert(store.getSlot());
    });
  }

  // Returns true if accesses are in operations that `Interference` follows.
  bool isStructured() {
    return llvm::all_of(slots_, [&](Value slot) {
      return llvm::all_of(slot.getUsers(), [&](Operation *user) {
        for (Operation *op = user; op != kernel_; op = op->getParentOp())
          if (!op->getBlock()->isEntryBlock() || !llvm::hasSingleElement(*op->getParentRegion()) ||
              (op != user && !isa<scf::IfOp, scf::WhileOp, scf::IndexSwitchOp, wg::ParallelOp>(op)))
            return false;
        return true;
      });
    });
  }

  // Stores of what is in the slot already.
  void eraseCopies() {
    for (Copy &copy : copies_) {
      if (copy.load.getSlot() != copy.store.getSlot() || !copyBy(copy.store))
        continue;
      auto region = copy.store->getParentOfType<wg::ParallelOp>();
      copy.store.erase();
      eraseIfEmpty(region);
    }
  }
  static void eraseIfEmpty(wg::ParallelOp region) {
    if (!llvm::hasSingleElement(region.getBody()))
      return;
    Block &block = region.getBody().front();
    for (Operation *op = block.getTerminator()->getPrevNode(); op;) {
      Operation *previous = op->getPrevNode();
      if (isOpTriviallyDead(op))
        op->erase();
      op = previous;
    }
    if (block.without_terminator().empty())
      region.erase();
  }

  func::FuncOp kernel_;
  SmallVector<Copy> copies_;
  llvm::SetVector<Value> slots_;
};

struct CoalesceSlots : impl::CoalesceSlotsBase<CoalesceSlots> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (kernel.isExternal())
        continue;
      slotsMerged += SlotCoalescer(kernel).run();
      for (auto slot : llvm::make_early_inc_range(kernel.getOps<wg::SlotOp>()))
        if (slot->use_empty())
          slot.erase();
    }
  }
};
} // namespace
} // namespace kiln
