#include "passes/cpu/CrossRegionValues.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Explain.h"
#include "passes/analysis/Constants.h"
#include "passes/cpu/SlotType.h"
#include "passes/simd/prepare/PoisonFlags.h"

using namespace mlir;

namespace kiln {
namespace {

// The region that contains all uses of the variable, if there is one and all of them are loads, stores and address
// arithmetic; else null.
wg::ParallelOp onlyRegionOf(LLVM::AllocaOp alloca) {
  wg::ParallelOp only;
  SmallVector<Value> pointers{alloca};
  while (!pointers.empty())
    for (OpOperand &use : pointers.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      auto region = user->getParentOfType<wg::ParallelOp>();
      bool known = isa<LLVM::LoadOp, LLVM::GEPOp>(user) || (isa<LLVM::StoreOp>(user) && use.getOperandNumber() == 1);
      if (!region || !known || (only && only != region))
        return {};
      only = region;
      if (isa<LLVM::GEPOp>(user))
        pointers.push_back(user->getResult(0));
    }
  return only;
}

// Operations that compute a value again in a later region, at most.
constexpr unsigned MaxCheapOperations = 8, MaxIndexOperations = 32;

// Operations in each side of a branch that becomes selects, at most.
constexpr unsigned MaxChoiceOperations = 4;

class SpillCrossRegionValues {
public:
  SpillCrossRegionValues(func::FuncOp kernel, Block *entry, const DenseMap<Value, Value> &slots)
      : kernel_(kernel), entry_(entry), slots_(slots) {}

  void run() {
    SmallVector<wg::ParallelOp> regions;
    kernel_.walk([&](wg::ParallelOp parallel) { regions.push_back(parallel); });
    kernel_.walk([&](scf::IfOp branch) {
      if (isChoiceForLaterRegions(branch))
        replaceBySelects(branch);
    });
    for (wg::ParallelOp region : regions) {
      DenseMap<Value, Value> local;
      SmallVector<OpOperand *> foreign;
      region.getBody().walk([&](Operation *op) {
        for (OpOperand &operand : op->getOpOperands())
          if (slots_.count(operand.get()) || (regionOf(operand.get()) && regionOf(operand.get()) != region))
            foreign.push_back(&operand);
      });
      OpBuilder builder = OpBuilder::atBlockBegin(&region.getBody().front());
      for (OpOperand *operand : foreign)
        operand->set(localCopy(operand->get(), region, builder, local));
    }
  }

private:
  // Returns true if the branch only chooses between values that few cheap operations compute, and a later region uses
  // one: `x < 0 ? -x : 0`. As selects, the values can be computed again there.
  bool isChoiceForLaterRegions(scf::IfOp branch) const {
    wg::ParallelOp own = branch->getParentOfType<wg::ParallelOp>();
    const bool isUsedLater = own && llvm::any_of(branch->getUsers(), [&](Operation *user) {
                               return user->getParentOfType<wg::ParallelOp>() != own;
                             });
    if (!isUsedLater || branch.getElseRegion().empty())
      return false;
    return llvm::all_of(branch->getRegions(), [](Region &side) {
      unsigned operations = 0;
      return llvm::all_of(side.front().without_terminator(), [&](Operation &op) {
        return isa<arith::ArithDialect>(op.getDialect()) && isPure(&op) && !isa<arith::DivFOp>(op) &&
               ++operations <= MaxChoiceOperations;
      });
    });
  }

  static void replaceBySelects(scf::IfOp branch) {
    for (Region &side : branch->getRegions())
      for (Operation &op : llvm::make_early_inc_range(side.front().without_terminator())) {
        op.moveBefore(branch);
        dropPoisonGeneratingFlags(&op); // they hold for the work-items that took the branch
      }
    OpBuilder b(branch);
    for (auto [result, yes, no] :
         llvm::zip(branch.getResults(), branch.thenYield().getOperands(), branch.elseYield().getOperands()))
      result.replaceAllUsesWith(
          arith::SelectOp::create(b, branch.getLoc(), branch.getCondition(), yes, no).getResult());
    branch.erase();
  }

  Value localCopy(Value value, wg::ParallelOp region, OpBuilder &builder, DenseMap<Value, Value> &local) {
    if (Value known = local.lookup(value))
      return known;
    Location loc = value.getLoc();
    Value copy;
    if (Value slot = slots_.lookup(value)) {
      if (value.getDefiningOp<LLVM::AllocaOp>())
        copy = wg::AddressOp::create(builder, loc, value.getType(), slot);
      else
        copy = wg::LoadOp::create(builder, loc, value.getType(), slot);
    } else if (isCheap(value) || isIndex(value)) {
      copy = compute(value, builder, local);
      explain("ocl-to-wg", [&](raw_ostream &os) { os << "recomputed in a later region: the value at " << loc; });
    } else {
      Value &slot = spilled_[value];
      if (!slot) {
        slot = newSlot(entry_, value.getType());
        explain("ocl-to-wg", [&](raw_ostream &os) {
          os << "kept for a later region in a slot: the " << value.getType() << " at " << loc;
        });
        OpBuilder after(value.getContext());
        after.setInsertionPointAfterValue(value);
        wg::StoreOp::create(after, loc, value, slot);
      }
      copy = wg::LoadOp::create(builder, loc, value.getType(), slot);
    }
    return local[value] = copy;
  }

  // Returns true if a few cheap operations compute the value from group values and the work-item's ids.
  bool isCheap(Value value) {
    unsigned budget = MaxCheapOperations;
    return isCheap(value, budget);
  }

  bool isCheap(Value value, unsigned &budget) {
    if (slots_.count(value))
      return false;
    if (!regionOf(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || budget == 0 || op->getNumRegions() || !isPure(op))
      return false;
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op)) {
      // A division by a power of two is a shift. A slot would also hide from the vectoriser how `i / 16` and `i % 16`
      // differ between work-items.
      const auto by = constantOf(op->getOperand(1));
      if (!by || *by <= 0 || !llvm::isPowerOf2_64(uint64_t(*by)))
        return false;
    }
    if (isa<arith::DivFOp, ocl::MathOp>(op))
      return false;
    --budget;
    return llvm::all_of(op->getOperands(), [&](Value operand) { return isCheap(operand, budget); });
  }

  // Returns true if the value is a number or an address that is linear in the work-item's ids or in their quotients and
  // remainders (tiles), or that is clamped by such values. Vector code computes a linear value once per vector, and
  // loads the neighbours at clamped indices as vectors (simd/decide/PermuteLoad), but loads a value for each lane from
  // a slot. With slots, the layer of Rodinia's backprop takes ten times as long.
  bool isIndex(Value value) {
    llvm::SmallDenseMap<Value, unsigned> known;
    return degreeOf(value, known) <= 1;
  }

  // The degree of a value in the ids: 0 for group values, 1 for linear and clamped ones, 2 for all others.
  unsigned degreeOf(Value value, llvm::SmallDenseMap<Value, unsigned> &known) {
    if (!regionOf(value) || constantOf(value))
      return 0;
    Operation *op = value.getDefiningOp();
    if (!op || slots_.count(value))
      return 2;
    if (const auto found = known.find(value); found != known.end())
      return found->second;
    if (known.size() == MaxIndexOperations)
      return 2;
    known[value] = 2;
    unsigned highest = 0, sum = 0;
    if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
            LLVM::GEPOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp, arith::CmpIOp,
            arith::SelectOp>(op) &&
        !isa<VectorType>(value.getType()))
      for (Value operand : op->getOperands()) {
        const unsigned degree = degreeOf(operand, known);
        highest = std::max(highest, degree);
        sum += degree;
      }
    else
      highest = sum = isa<ocl::QueryOp>(op) ? 1 : 2;
    if (isa<arith::ShLIOp>(op) && degreeOf(op->getOperand(1), known))
      highest = 2;
    if (isTilePart(op))
      highest = sum = degreeOf(op->getOperand(0), known);
    return known[value] = std::min(isa<arith::MulIOp>(op) ? sum : highest, 2u);
  }

  // Returns true for `i / 8`, `i % 8`, `i >> 3` and `i & 7`.
  static bool isTilePart(Operation *op) {
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op)) {
      const auto by = constantOf(op->getOperand(1));
      return by && *by > 0 && llvm::isPowerOf2_64(uint64_t(*by)) && !isa<VectorType>(op->getResult(0).getType());
    }
    return isa<arith::ShRSIOp, arith::ShRUIOp, arith::AndIOp>(op) && constantOf(op->getOperand(1));
  }

  Value compute(Value value, OpBuilder &builder, DenseMap<Value, Value> &local) {
    if (!regionOf(value))
      return value;
    if (Value known = local.lookup(value))
      return known;
    IRMapping mapping;
    for (Value operand : value.getDefiningOp()->getOperands())
      mapping.map(operand, compute(operand, builder, local));
    Operation *clone = builder.clone(*value.getDefiningOp(), mapping);
    for (auto [from, to] : llvm::zip(value.getDefiningOp()->getResults(), clone->getResults()))
      local[from] = to;
    return local[value];
  }

  func::FuncOp kernel_;
  Block *entry_;
  const DenseMap<Value, Value> &slots_;
  DenseMap<Value, Value> spilled_; // slots of values that other regions use
};

} // namespace

wg::ParallelOp regionOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    op = value.getParentBlock()->getParentOp();
  if (auto parallel = dyn_cast_if_present<wg::ParallelOp>(op))
    return parallel;
  return op ? op->getParentOfType<wg::ParallelOp>() : nullptr;
}

Value newSlot(Block *entry, Type type) {
  auto builder = OpBuilder::atBlockBegin(entry);
  return wg::SlotOp::create(builder, entry->getParentOp()->getLoc(), wg::SlotType::get(type));
}

void moveToStart(LLVM::AllocaOp alloca, Block *block) {
  alloca->moveBefore(block, block->begin());
  if (Operation *size = alloca.getArraySize().getDefiningOp()) {
    OpBuilder builder(alloca);
    alloca.getArraySizeMutable().set(builder.clone(*size)->getResult(0));
  }
}

void placeVariables(ArrayRef<LLVM::AllocaOp> variables, Block *entry, DenseMap<Value, Value> &slots) {
  for (LLVM::AllocaOp alloca : variables) {
    wg::ParallelOp only = onlyRegionOf(alloca);
    if (only && !only->getParentOfType<scf::WhileOp>()) {
      moveToStart(alloca, &only.getBody().front());
      continue;
    }
    slots[alloca] = newSlot(entry, slotTypeFor(alloca));
  }
}

void spillCrossRegionValues(func::FuncOp kernel, Block *entry, const DenseMap<Value, Value> &slots) {
  SpillCrossRegionValues(kernel, entry, slots).run();
}

} // namespace kiln
