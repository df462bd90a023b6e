#include "backends/cpu/codegen/ForwardStores.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace kiln {
namespace {

constexpr unsigned MaxInstructions = 400, MaxWrites = 48; // searched before a load
constexpr size_t MaxSources = 2;                          // stored values that a shuffle takes lanes of

// A load or a store of a vector or a number, of which a constant mask selects the lanes.
struct Access {
  Value *base = nullptr;
  int64_t offset = 0; // bytes from the base
  Type *element = nullptr;
  unsigned lanes = 1;
  Constant *mask = nullptr; // null: all lanes

  bool has(unsigned lane) const { return !mask || mask->getAggregateElement(lane)->isOneValue(); }
};

// Returns no base for accesses of other forms.
Access describe(Value *pointer, Type *type, Value *mask, const DataLayout &layout) {
  Access access;
  auto *vector = dyn_cast<FixedVectorType>(type);
  access.element = type->getScalarType();
  access.lanes = vector ? vector->getNumElements() : 1;
  const TypeSize bits = layout.getTypeSizeInBits(access.element);
  if (isa<ScalableVectorType>(type) || !access.element->isSingleValueType() ||
      bits != layout.getTypeAllocSizeInBits(access.element))
    return {};
  if (mask) {
    access.mask = dyn_cast<Constant>(mask);
    for (unsigned lane = 0; lane < access.lanes; ++lane)
      if (!access.mask || !isa_and_nonnull<ConstantInt>(access.mask->getAggregateElement(lane)))
        return {};
  }
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  access.base = pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  access.offset = offset.getSExtValue();
  return access;
}

bool isMasked(const Instruction &instruction, Intrinsic::ID id) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == id;
}

Access describeLoad(Instruction &instruction, const DataLayout &layout) {
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple() ? describe(load->getPointerOperand(), load->getType(), nullptr, layout) : Access();
  if (isMasked(instruction, Intrinsic::masked_load))
    return describe(instruction.getOperand(0), instruction.getType(), instruction.getOperand(1), layout);
  return {};
}

Access describeStore(Instruction &instruction, const DataLayout &layout) {
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return store->isSimple()
               ? describe(store->getPointerOperand(), store->getValueOperand()->getType(), nullptr, layout)
               : Access();
  if (isMasked(instruction, Intrinsic::masked_store))
    return describe(instruction.getOperand(1), instruction.getOperand(0)->getType(), instruction.getOperand(2), layout);
  return {};
}

// The lanes of a load, and the stored values that they come from.
class Sources {
public:
  Sources(Instruction &load, const Access &access, AAResults &aliases, const DataLayout &layout)
      : load_(load), access_(access), aliases_(aliases), layout_(layout),
        bytes_(layout.getTypeAllocSize(access.element)), from_(access.lanes) {
    for (unsigned lane = 0; lane < access.lanes; ++lane)
      missing_ += access.has(lane);
  }

  /// Searches the stores before the load. Returns true if they cover all its lanes.
  bool find() {
    const MemoryLocation loaded(load_.getOperand(0), LocationSize::precise(bytes_ * access_.lanes));
    unsigned searched = 0, writes = 0;
    for (BasicBlock *block = load_.getParent(); block; block = block->getSinglePredecessor())
      for (Instruction &before :
           reverse(make_range(block->begin(), block == load_.getParent() ? load_.getIterator() : block->end()))) {
        if (!missing_)
          return true;
        if (++searched > MaxInstructions)
          return false;
        if (!before.mayWriteToMemory())
          continue;
        if (++writes > MaxWrites)
          return false;
        const Access stored = describeStore(before, layout_);
        const bool isKnown = stored.base == access_.base;
        if (isKnown ? !take(before, stored) : isModSet(aliases_.getModRefInfo(&before, loaded)))
          return false;
      }
    return !missing_;
  }

  /// Returns the loaded value.
  Value *shuffle() const {
    IRBuilder<> b(&load_);
    Value *result = PoisonValue::get(load_.getType());
    for (size_t source = 0; source < values_.size(); ++source) {
      SmallVector<int> lanes(access_.lanes, PoisonMaskElem);
      const bool isInPlace = values_[source]->getType() != load_.getType();
      for (unsigned lane = 0; lane < access_.lanes; ++lane)
        if (from_[lane].source == source)
          lanes[lane] = int(access_.lanes + (isInPlace ? lane : from_[lane].lane));
        else if (from_[lane].source < source)
          lanes[lane] = int(lane);
      result = b.CreateShuffleVector(result, isInPlace ? inPlace(b, source) : values_[source], lanes);
    }
    if (!access_.mask || isa<UndefValue>(load_.getOperand(2)))
      return result;
    return b.CreateSelect(access_.mask, result, load_.getOperand(2));
  }

private:
  struct Lane {
    size_t source = SIZE_MAX;
    unsigned lane = 0;
  };

  // Takes the lanes that a store to the load's base covers. Fails for a part of a lane.
  bool take(Instruction &store, const Access &stored) {
    const int64_t begin = stored.offset - access_.offset, size = int64_t(bytes_);
    const int64_t storedSize = int64_t(layout_.getTypeAllocSize(stored.element));
    if (begin >= size * access_.lanes || begin + storedSize * stored.lanes <= 0)
      return true;
    if (stored.element != access_.element || begin % size)
      return false;
    bool isUsed = false;
    for (unsigned lane = 0; lane < stored.lanes; ++lane) {
      const int64_t at = begin / size + lane;
      if (at < 0 || at >= access_.lanes || !stored.has(lane) || !access_.has(unsigned(at)) ||
          from_[size_t(at)].source != SIZE_MAX)
        continue;
      from_[size_t(at)] = {values_.size(), lane};
      --missing_;
      isUsed = true;
    }
    if (isUsed)
      values_.push_back(store.getOperand(0));
    return values_.size() <= MaxSources;
  }

  // A vector of the load's type with a source's lanes where the load has them.
  Value *inPlace(IRBuilder<> &b, size_t source) const {
    Value *value = values_[source];
    if (!value->getType()->isVectorTy())
      value = b.CreateInsertElement(PoisonValue::get(load_.getType()), value, uint64_t(0));
    SmallVector<int> lanes(access_.lanes, PoisonMaskElem);
    for (unsigned lane = 0; lane < access_.lanes; ++lane)
      if (from_[lane].source == source)
        lanes[lane] = int(from_[lane].lane);
    return b.CreateShuffleVector(value, lanes);
  }

  Instruction &load_;
  const Access access_;
  AAResults &aliases_;
  const DataLayout &layout_;
  const uint64_t bytes_; // of a lane
  std::vector<Lane> from_;
  SmallVector<Value *> values_;
  unsigned missing_ = 0; // lanes
};

} // namespace

PreservedAnalyses ForwardStoresPass::run(Function &function, FunctionAnalysisManager &analyses) {
  AAResults &aliases = analyses.getResult<AAManager>(function);
  const DataLayout &layout = function.getDataLayout();
  SmallPtrSet<Value *, 8> storedTo;
  for (Instruction &instruction : instructions(function))
    storedTo.insert(describeStore(instruction, layout).base);
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    if (!isa<FixedVectorType>(instruction.getType()))
      continue;
    const Access access = describeLoad(instruction, layout);
    if (!access.base || !storedTo.contains(access.base))
      continue;
    Sources sources(instruction, access, aliases, layout);
    if (!sources.find())
      continue;
    instruction.replaceAllUsesWith(sources.shuffle());
    instruction.eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace kiln
