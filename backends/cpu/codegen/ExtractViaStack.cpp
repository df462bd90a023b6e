#include "backends/cpu/codegen/ExtractViaStack.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kiln {
namespace {

// For smaller vectors, extraction from the register is as fast.
constexpr unsigned MinBits = 256, MinLanes = 8;
constexpr unsigned StoreBytes = 32;
constexpr unsigned MaxVectors = 64; // per function, each with a stack slot

// Returns true if the lane is used by scalar instructions only. Insertion into another vector is a shuffle.
bool isUsedAsScalar(const ExtractElementInst &lane) {
  return all_of(lane.users(), [](const User *user) { return !isa<InsertElementInst, ShuffleVectorInst>(user); });
}

// Returns true if memory at an address derived from the lane is both loaded and stored, as for counters. Each access
// may depend on the previous one, and the processor resolves that later if the index comes from memory (measured: three
// times as slow).
bool isReadAndWritten(const Instruction &number, unsigned depth = 0) {
  constexpr unsigned MaxSteps = 6; // from a lane to an address
  bool reads = false, writes = false;
  for (const User *user : number.users()) {
    auto *instruction = cast<Instruction>(user);
    reads |= isa<LoadInst>(instruction);
    writes |= isa<StoreInst>(instruction);
    if (isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction) ||
        (isa<CastInst, GetElementPtrInst, BinaryOperator>(instruction) &&
         (depth == MaxSteps || isReadAndWritten(*instruction, depth + 1))))
      return true;
  }
  return reads && writes;
}

// Returns the extractions of the vector's lanes, at least one for each lane; empty if the rewrite does not pay.
SmallVector<ExtractElementInst *> lanesOf(Instruction &vector) {
  auto *type = dyn_cast<FixedVectorType>(vector.getType());
  if (!type || type->getNumElements() < MinLanes || isa<LoadInst>(vector))
    return {};
  const Type *element = type->getElementType();
  const unsigned bits = element->isPointerTy() ? 64 : element->getScalarSizeInBits();
  if ((bits != 32 && bits != 64) || bits * type->getNumElements() < MinBits)
    return {};
  SmallVector<ExtractElementInst *> found;
  SmallVector<bool> taken(type->getNumElements());
  for (User *user : vector.users())
    if (auto *lane = dyn_cast<ExtractElementInst>(user); lane && lane->getVectorOperand() == &vector)
      if (auto *index = dyn_cast<ConstantInt>(lane->getIndexOperand());
          index && index->getValue().ult(taken.size()) && isUsedAsScalar(*lane)) {
        if (found.empty() && isReadAndWritten(*lane)) // checks the first lane only
          return {};
        found.push_back(lane);
        taken[index->getZExtValue()] = true;
      }
  return all_of(taken, [](bool lane) { return lane; }) ? found : SmallVector<ExtractElementInst *>();
}

// Stores a vector in parts of 32 bytes: not all processors forward the upper half of a 512-bit store to narrower loads.
// Volatile, so that the stores are not merged.
void storeInParts(IRBuilder<> &builder, Value *vector, AllocaInst *slot) {
  auto *type = cast<FixedVectorType>(vector->getType());
  const DataLayout &layout = builder.GetInsertBlock()->getDataLayout();
  const unsigned bytes = unsigned(layout.getTypeAllocSize(type->getElementType()));
  const unsigned count = type->getNumElements(), most = std::min(count, StoreBytes / bytes);
  for (unsigned from = 0; from < count; from += most) {
    SmallVector<int> order;
    for (unsigned lane = from; lane < std::min(count, from + most); ++lane)
      order.push_back(int(lane));
    Value *part = order.size() == count ? vector : builder.CreateShuffleVector(vector, order);
    builder.CreateAlignedStore(part, builder.CreateConstInBoundsGEP2_32(type, slot, 0, from),
                               commonAlignment(slot->getAlign(), uint64_t(from) * bytes), /*isVolatile=*/true);
  }
}

// Returns the insertion points of the stores: after the vector's definition; or, if lanes are extracted only in
// branches, in each of these. Lane 0 is ignored, because extracting it is free.
SmallVector<Instruction *> storePoints(Instruction &vector, SmallVectorImpl<ExtractElementInst *> &lanes,
                                       const LoopInfo &loops) {
  auto isFirst = [](const ExtractElementInst *lane) { return cast<ConstantInt>(lane->getIndexOperand())->isZero(); };
  SmallDenseSet<BasicBlock *> blocks;
  for (ExtractElementInst *lane : lanes)
    if (!isFirst(lane))
      blocks.insert(lane->getParent());
  erase_if(lanes, [&](ExtractElementInst *lane) { return isFirst(lane) && !blocks.contains(lane->getParent()); });
  const Loop *own = loops.getLoopFor(vector.getParent());
  if (!blocks.contains(vector.getParent()) &&
      all_of(blocks, [&](BasicBlock *block) { return loops.getLoopFor(block) == own; })) {
    SmallVector<Instruction *> points;
    for (ExtractElementInst *lane : lanes)
      if (blocks.erase(lane->getParent()))
        points.push_back(&*lane->getParent()->getFirstInsertionPt());
    return points;
  }
  if (std::optional<BasicBlock::iterator> behind = vector.getInsertionPointAfterDef())
    return {&**behind};
  return {};
}

void extractLanesViaStack(Function &function) {
  SmallVector<std::pair<Instruction *, SmallVector<ExtractElementInst *>>> vectors;
  for (Instruction &instruction : instructions(function))
    if (auto lanes = lanesOf(instruction); !lanes.empty() && vectors.size() < MaxVectors)
      vectors.push_back({&instruction, std::move(lanes)});
  if (vectors.empty())
    return;
  const DominatorTree dominators(function);
  const LoopInfo loops(dominators);
  for (auto &[vector, lanes] : vectors) {
    const SmallVector<Instruction *> points = storePoints(*vector, lanes, loops);
    if (points.empty())
      continue;
    auto *type = cast<FixedVectorType>(vector->getType());
    const Align align(function.getDataLayout().getTypeAllocSize(type).getFixedValue());
    IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
    AllocaInst *slot = builder.CreateAlloca(type);
    slot->setAlignment(align);
    for (Instruction *before : points) {
      builder.SetInsertPoint(before);
      storeInParts(builder, vector, slot);
    }
    for (ExtractElementInst *lane : lanes) {
      builder.SetInsertPoint(lane);
      Value *from = builder.CreateConstInBoundsGEP2_32(
          type, slot, 0, unsigned(cast<ConstantInt>(lane->getIndexOperand())->getZExtValue()));
      Value *number =
          builder.CreateAlignedLoad(lane->getType(), from, function.getDataLayout().getABITypeAlign(lane->getType()));
      lane->replaceAllUsesWith(number);
      lane->eraseFromParent();
    }
  }
}

} // namespace

void extractLanesViaStack(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      extractLanesViaStack(function);
}

} // namespace kiln
